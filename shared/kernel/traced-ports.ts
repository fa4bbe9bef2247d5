import type { Blobs, Table } from './ports.ts';
import { inSpan } from './trace.ts';

/** A table whose requests become spans of the current trace. */
export const tracedTable = (table: Table): Table => ({
  streams: table.streams,
  get: (key) => inSpan('table get', TABLE, () => table.get(key), 'client'),
  query: (pk, query) => inSpan('table query', TABLE, () => table.query(pk, query), 'client'),
  scan: (prefix, after) => inSpan('table scan', TABLE, () => table.scan(prefix, after), 'client'),
  change: (keys, rule) => inSpan('table change', TABLE, () => table.change(keys, rule), 'client'),
  write: (writes) => inSpan('table write', TABLE, () => table.write(writes), 'client'),
  count: (key, add, limits, expires) =>
    inSpan('table count', TABLE, () => table.count(key, add, limits, expires), 'client'),
  close: () => table.close(),
});

/** The same for blobs. */
export const tracedBlobs = (blobs: Blobs): Blobs => ({
  get: (key) => inSpan('blob get', BLOB, () => blobs.get(key), 'client'),
  put: (key, bytes, type) =>
    inSpan('blob put', { ...BLOB, bytes: bytes.length }, () => blobs.put(key, bytes, type), 'client'),
  remove: (key) => inSpan('blob remove', BLOB, () => blobs.remove(key), 'client'),
  list: (prefix) => inSpan('blob list', BLOB, () => blobs.list(prefix), 'client'),
});

const TABLE = { 'db.system.name': 'assay' };
const BLOB = { 'peer.service': 'blobs' };

import type { CallRecord } from '../../shared/model/call-record.ts';

/** The record of a successful call. */
export const aRecord = (fields: Partial<CallRecord> = {}): CallRecord => ({
  call_id: '01JBXQ00000000000000000000',
  tool: 'add',
  version: '1.0.0',
  arguments: {},
  status: 'ok',
  duration_ms: 1,
  cpu_ms: 0,
  cpu_percent: 0,
  memory_delta_bytes: 0,
  memory_peak_bytes: 0,
  cached: false,
  attempts: 1,
  charged_micros: 0,
  key: 'k',
  at: '2026-11-05T12:00:00.000Z',
  ...fields,
});

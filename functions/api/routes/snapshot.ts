import { Readable } from 'node:stream';
import * as z from 'zod';
import { Snapshot } from '../../../shared/model/registration.ts';
import { exportSnapshot } from '../../../shared/registry/export-snapshot.ts';
import { importSnapshot } from '../../../shared/registry/import-snapshot.ts';
import { answerBytes } from '../answer.ts';
import { checkedByVerb } from '../body.ts';
import { reply, route } from '../route.ts';

const SnapshotBody = z.object(Snapshot.shape).meta({ id: 'Snapshot' });
const answers = { 200: { description: 'All that the tenant owns', schema: SnapshotBody } } as const;

const getSnapshot = route({
  method: 'get',
  path: '/v1/snapshot',
  scope: 'read',
  summary: 'Export the tenant’s tools',
  tag: 'Snapshot',
  answers,
  async handle({ api, actor, context }) {
    const parts = Readable.from(inBytes(await exportSnapshot(api, actor)));
    return answerBytes(context, Readable.toWeb(parts) as ReadableStream<Uint8Array>, 'application/json');
  },
});

async function* inBytes(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(part);
}

const putSnapshot = route({
  method: 'post',
  path: '/v1/snapshot',
  audit: 'snapshot-imported',
  scope: 'write',
  summary: 'Replace the tenant’s tools by those of a snapshot',
  tag: 'Snapshot',
  body: checkedByVerb(SnapshotBody),
  answers,
  faults: ['InvalidInput', 'PaymentRequired', 'Conflict'],
  handle: async ({ api, actor, body }) => reply(200, await importSnapshot(api, actor, body)),
});

export const snapshotRoutes = [getSnapshot, putSnapshot] as const;

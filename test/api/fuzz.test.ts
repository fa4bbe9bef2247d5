import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { createKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { Scope } from '../../shared/model/key.ts';
import { fuzzRequest } from '../support/fuzz-requests.ts';
import { recordingLog } from '../support/recording-log.ts';
import { tries } from '../support/sampling.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? tries(350, 100_000));
const FIRST = Number(process.env.FUZZ_SEED ?? 1);
/** Of this thread's processor time: a busy machine does not change it, and scores in other threads stall nobody. */
const STALL_MS = 1000;

describe('fuzzed requests over all routes', () => {
  test('no fuzzed request is answered with 500 or blocks the event loop for a second', async (t) => {
    const log = recordingLog();
    const base = () => 'http://127.0.0.1:1';
    const assay = await localAssay({ environment: readEnvironment({}), log, base, discover: async () => [] });
    t.after(() => assay.close());
    const app = createApp(assay);
    const { key } = await createKey(assay, adminActor(), { scopes: [...Scope.options] });
    const { id } = await createKey(assay, adminActor(), { scopes: ['read'] });
    const names = ['hash', 'text_stats', 'csv_to_json', 'ssim', id, 'default', 'en', '2026-11', randomUUID(), 'a.png'];

    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    for (let seed = FIRST; seed < FIRST + REQUESTS; seed++) {
      const { name, path, init } = fuzzRequest(seed, names, key);
      const before = process.threadCpuUsage();
      const response = await app.request(path, init);
      const text = await readAnswer(response);
      const { user } = process.threadCpuUsage(before);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status >= 500 && response.status !== 502 && response.status !== 503)
        wrong.push(`${name} ${response.status} ${text.slice(0, 200)}`);
      if (user / 1000 > STALL_MS) wrong.push(`${name} took ${Math.round(user / 1000)} ms`);
    }

    assert.deepEqual(wrong, []);
    assert.ok((statuses.get(200) ?? 0) > REQUESTS / 20, `few were good: ${JSON.stringify([...statuses])}`);
    assert.ok((statuses.get(400) ?? 0) > REQUESTS / 10, `few were bad: ${JSON.stringify([...statuses])}`);
  });
});

/** A stream of events has no end. */
const readAnswer = async (response: Response): Promise<string> => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
};

import assert from 'node:assert/strict';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { KeyName, Manifest } from '../fixtures/manifest.ts';
import { standingClock } from '../support/clock.ts';
import { goldenImage } from '../support/iqa.ts';
import { openData } from '../support/local-assay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));
const releases = (await readdir(fixtures)).filter((name) => name.startsWith('data-')).sort();

interface Answered<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

/** A copy of what a release left, opened by this one at the time it was left. */
const open = async (t: TestContext, release: string) => {
  const folder = join(fixtures, release);
  const written: Manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  // Hooks run in the order they were set: the directory must not go before the product has let go of it.
  const cleanups: (() => Promise<void>)[] = [];
  const inReverse = { after: (clean: () => Promise<void>) => void cleanups.unshift(clean) };
  t.after(async () => {
    for (const clean of cleanups) await clean();
  });
  const data = join(await temporaryDirectory(inReverse), 'data');
  await cp(join(folder, 'data'), data, { recursive: true });
  const clock = standingClock(Date.parse(written.written_at));
  const app = await openData(inReverse, { data, base: written.address, clock });
  const ask = async <T = Body>(
    method: string,
    path: string,
    as: KeyName,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered<T>> => {
    const response = await app.request(written.address + path, {
      method,
      headers: {
        authorization: `Bearer ${written.keys[as].key}`,
        'content-type': 'application/json',
        accept: 'application/json',
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || '{}'), headers: response.headers };
  };
  const until = async (path: string, isDone: (body: Body) => boolean): Promise<Body> => {
    for (let tries = 0; tries < 400; tries++) {
      const { body } = await ask('GET', path, 'admin');
      if (isDone(body)) return body;
      await wait(20);
    }
    return assert.fail(`${path} never answered as wanted`);
  };
  const invoke = (tool: string, as: KeyName, more: object = {}) =>
    ask('POST', `/v1/tools/${tool}/invoke`, as, { arguments: { city: 'Ulm' }, ...more });
  return { written, app, clock, ask, until, invoke };
};

/** What these tests look at in answers. */
interface Body {
  readonly status: string;
  readonly error: { readonly code: string };
  readonly output: unknown;
  readonly call_id: string;
  readonly ratings: number;
  readonly mean: number;
  readonly differences: readonly unknown[];
  readonly calls: number;
  readonly micros: number;
  readonly keys: readonly { readonly key_id: string; readonly calls: number; readonly micros: number }[];
  readonly recommendations: readonly { readonly tool: string; readonly whitelisted: boolean }[];
  readonly scores: readonly { readonly tool: string; readonly cached: boolean; readonly raw: number }[];
  readonly tools: readonly { readonly name: string }[];
  readonly nodes: readonly { readonly id: string; readonly status: string }[];
  readonly executions: readonly { readonly tool: string; readonly charged_micros: number }[];
}

test('the fixture of an older release’s data directory exists', () => assert.ok(releases.includes('data-0.1.0')));

for (const release of releases)
  describe(`X.02 ${release} opened by this release`, () => {
    test('every answer is what the older release answered', async (t) => {
      const { written, ask } = await open(t, release);

      for (const { path, key, answer } of written.reads) {
        const { status, body } = await ask<object>('GET', path, key);
        assert.equal(status, 200, path);
        assert.partialDeepStrictEqual(body, answer, path);
      }
    });

    test('older keys keep their rights; revoked and expired ones are refused', async (t) => {
      const { ask, invoke, clock } = await open(t, release);
      const statusOf = async (path: string, as: KeyName) => (await ask('GET', path, as)).status;

      for (const name of ['admin', 'worker', 'spent', 'approver', 'confined'] as const)
        assert.equal(await statusOf('/v1/tools/weather', name), 200, name);
      for (const name of ['revoked', 'expired'] as const)
        assert.equal(await statusOf('/v1/tools/weather', name), 401, name);
      assert.equal(await statusOf('/v1/tools/mail', 'confined'), 404);
      assert.equal(await statusOf('/v1/tools/weather', 'acme'), 404);
      assert.equal(await statusOf('/v1/tools/acme_tool', 'acme'), 200);
      assert.equal(await statusOf('/v1/tools/removed', 'admin'), 404);
      assert.equal(await statusOf('/v1/keys', 'worker'), 403);
      assert.equal((await invoke('weather', 'approver')).status, 403);
      assert.equal((await invoke('weather', 'spent')).body.error.code, 'PaymentRequired');
      const slow = [];
      for (let asked = 0; asked < 3; asked++) slow.push(await statusOf('/v1/tools/hash', 'slow'));
      assert.deepEqual(slow, [200, 200, 429]);
      clock.move(31 * 86_400_000);
      assert.equal(await statusOf('/v1/tools/weather', 'approver'), 401);
    });

    test('older tools run by version, list, grant and switch, and are charged against the used quota', async (t) => {
      const { written, ask, invoke } = await open(t, release);
      const before = await ask('GET', '/v1/usage', 'worker');

      assert.deepEqual((await invoke('weather', 'worker')).body.output, { from: '1.1.0' });
      const beta = await invoke('weather', 'worker', { version: '2.0.0-beta.1' });
      assert.deepEqual(beta.body.output, { from: '2.0.0-beta.1' });
      assert.equal((await invoke('weather', 'worker', { version: '1.0.0' })).status, 503);
      assert.equal((await invoke('switched_off', 'worker')).status, 503);
      assert.equal((await invoke('base64', 'worker', { arguments: {} })).status, 503);
      assert.deepEqual((await invoke('wipe', 'worker')).body.output, { wiped: true });
      assert.equal((await invoke('wipe', 'admin')).status, 403);
      const { body: recommended } = await ask('GET', '/v1/recommendations?task=weather+of+a+city', 'worker');
      assert.deepEqual(
        recommended.recommendations.slice(0, 1).map(({ tool, whitelisted }) => [tool, whitelisted]),
        [['weather', true]],
      );
      assert.ok(!recommended.recommendations.some(({ tool }) => tool === 'shunned'));
      const rated = await ask('POST', '/v1/feedback', 'worker', { tool: 'weather', rating: 2 });
      assert.deepEqual([rated.body.ratings, rated.body.mean], [2, 3]);
      const after = await ask('GET', '/v1/usage', 'worker');
      assert.deepEqual([after.body.calls, after.body.micros], [before.body.calls + 3, before.body.micros + 200]);
      assert.equal(after.body.keys[0]?.key_id, written.keys.worker.id);
    });

    test('an older idempotent request gets its stored answer, and another one under its key is refused', async (t) => {
      const { written, ask } = await open(t, release);
      const { path, body, idempotency_key, answer } = written.once;
      const headers = { 'idempotency-key': idempotency_key };

      const replayed = await ask<object>('POST', path, 'worker', body, headers);

      assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replay')], [200, 'true']);
      assert.deepEqual(replayed.body, answer);
      assert.equal((await ask('POST', path, 'worker', { arguments: { city: 'Bonn' } }, headers)).status, 409);
    });

    test('an older approved confirmation lets its call through once, and a waiting one can be approved', async (t) => {
      const { written, ask, invoke } = await open(t, release);
      const { pending, approved } = written.confirmations;
      const send = ({ token, body }: typeof pending) => invoke('mail', 'worker', { ...body, confirmation: token });

      assert.deepEqual((await send(approved)).body.output, { sent: true });
      assert.equal((await send(approved)).status, 403);
      assert.equal((await send(pending)).body.error.code, 'ConfirmationRequired');
      const consent = await ask('POST', '/v1/confirmations', 'approver', { id: pending.id, approve: true });
      assert.equal(consent.status, 200);
      assert.deepEqual((await send(pending)).body.output, { sent: true });
    });

    test('older runs that wait for a person continue once approved, and their calls are charged', async (t) => {
      const { written, ask, until, invoke } = await open(t, release);
      const { waiting, task } = written.runs;
      // Runs are resumed in the background; until then nothing waits for the answer, though it is kept.
      const approve = async (run: string, node: string): Promise<void> => {
        for (let tries = 0; tries < 400; tries++) {
          const path = `/v1/runs/${run}/nodes/${node}/confirm`;
          if ((await ask('POST', path, 'approver', { approve: true })).status === 200) return;
          await wait(20);
        }
        assert.fail(`${node} of ${run} cannot be approved`);
      };

      await approve(waiting, 'write');
      await approve(task, 'look');
      const hasEnded = ({ status }: Body) => status !== 'running';
      const [first, second] = [await until(`/v1/runs/${waiting}`, hasEnded), await until(`/v1/runs/${task}`, hasEnded)];

      assert.deepEqual([first.status, first.output], ['ok', { write: { sent: true } }]);
      assert.deepEqual([second.status, second.output], ['ok', { look: { from: '1.1.0' } }]);
      const { executions } = await until('/v1/executions?tool=look_when_told', (body) => body.executions.length > 0);
      assert.deepEqual(
        executions.map(({ charged_micros }) => charged_micros),
        [100],
      );
      const { body: proof } = await ask('GET', '/v1/usage/verification', 'admin');
      assert.deepEqual(proof.differences, []);
      assert.equal(
        (await ask('POST', `/v1/plans/${written.plans.safe}/runs`, 'worker', { input: { text: 'x' } })).status,
        201,
      );
      const { body } = await invoke('look_up', 'worker', { arguments: { text: 'x' } });
      assert.deepEqual(body.output, { look: { from: '1.1.0' } });
    });

    test('older scores of stored pictures are reused, and an announced picture can still be uploaded', async (t) => {
      const { written, app, ask, until } = await open(t, release);
      const { scored, announced } = written.uploads;
      const tools = ['entropy', 'topiq_nr'];

      const again = await ask('POST', '/v1/score', 'worker', { image: { key: scored.key }, tools });
      // A shipped metric is measured again when a release calibrates it anew; a model of the user's own is not.
      assert.deepEqual(
        again.body.scores.map(({ tool }) => tool),
        tools,
      );
      assert.equal(again.body.scores.find(({ tool }) => tool === 'topiq_nr')?.cached, true);
      const put = await app.request(announced.url, {
        method: 'PUT',
        headers: { 'content-type': 'image/png' },
        body: Uint8Array.from(goldenImage('astronaut_quant_2.png').bytes),
      });
      assert.equal(put.status, 200);
      const late = await until(`/v1/images/${announced.key}/scores`, ({ status }) => status !== 'pending');
      assert.equal(late.status, 'scored');
      assert.deepEqual(
        late.scores.map(({ tool, cached }) => [tool, cached]),
        tools.map((tool) => [tool, false]),
      );
    });
  });

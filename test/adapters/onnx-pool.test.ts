import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import type { Picture } from '../../shared/iqa/engine.ts';
import { goldenImage, testEngine } from '../support/iqa.ts';
import { recordingLog } from '../support/recording-log.ts';

const picture = (width: number, height: number, name = 'a.png'): Picture => {
  const data = new Uint8Array(new SharedArrayBuffer(width * height * 3));
  for (let at = 0; at < data.length; at++) data[at] = (at * 7919) % 251;
  return { name, format: 'png', pixels: { width, height, data }, notes: [] };
};

const nativeCode = new URL('../../shared/adapters/onnx/native-code.ts', import.meta.url);

/**
 * A worker that ends when asked to decode the word `end`, throws on `throw`, stays in native code for 300 ms on `slow`,
 * does not answer `never`, and otherwise answers like a picture.
 */
const mortalWorker = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    import { openNativeThread } from '${nativeCode}';
    const { native } = openNativeThread();
    native.loaded();
    parentPort.on('message', ({ id, ask }) => native.run(async () => {
      const text = new TextDecoder().decode(ask.bytes);
      if (text === 'end') process.exit(3);
      if (text === 'throw') throw new Error('out of luck');
      if (text === 'never') return;
      if (text === 'slow') {
        parentPort.postMessage({ id, warning: 'slow has begun', fields: {} });
        for (const end = Date.now() + 300; Date.now() < end; );
        parentPort.postMessage({ id, warning: 'slow has ended', fields: {} });
      }
      const pixels = { width: 1, height: 1, data: new Uint8Array(3) };
      parentPort.postMessage({ id, answer: { picture: { name: text, format: 'png', pixels, notes: [] }, usedMemory: false } });
    }));
  `)}`,
);
const text = (word: string): Uint8Array => new TextEncoder().encode(word);

describe('the worker pool', () => {
  const engine = testEngine();
  after(() => engine.close());

  test('scoring in a worker leaves the event loop free', async () => {
    const [one, two] = [picture(1300, 1000), picture(1300, 1000, 'b.png')];
    let turns = 0;
    const beat = setInterval(() => turns++, 5);

    await engine.score({ tool: 'ms_ssim', picture: one, reference: two });
    clearInterval(beat);

    assert.ok(turns >= 5, `${turns} turns`);
  });

  test('a worker that exits fails its request, and the next request works', async () => {
    const log = recordingLog();
    const mortal = onnxEngine({ log, workers: 1, workerUrl: mortalWorker });
    after(() => mortal.close());

    await assert.rejects(mortal.decode(text('end'), 'x.png'), {
      name: 'ToolExecutionError',
      message: 'decoding x.png failed: its worker ended (exit code 3); try again',
    });
    await assert.rejects(mortal.decode(text('throw'), 'y.png'), {
      name: 'ToolExecutionError',
      message: /decoding y\.png failed: its worker ended \(out of luck\)/,
    });
    assert.equal((await mortal.decode(text('fine'))).name, 'fine');
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2);
  });

  test('requests queued behind a worker that exits are not lost', async () => {
    const mortal = onnxEngine({ log: recordingLog(), workers: 1, workerUrl: mortalWorker });
    after(() => mortal.close());

    const results = await Promise.allSettled(['end', 'one', 'two'].map((word) => mortal.decode(text(word))));

    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value.name : 'lost')),
      ['lost', 'one', 'two'],
    );
  });

  test('a request can be cancelled while queued and while running', async () => {
    const [one, two] = [picture(2000, 1200), picture(2000, 1200, 'b.png')];
    const controller = new AbortController();
    const request = { tool: 'nlpd', picture: one, reference: two, signal: controller.signal };

    const running = engine.score(request);
    void setTimeout(20).then(() => controller.abort(new Error('enough')));

    await assert.rejects(running, { message: 'enough' });
    await assert.rejects(engine.score(request), { message: 'enough' });
    assert.equal(await engine.score({ tool: 'psnr', picture: one, reference: one }), 80);
  });

  test('closing the pool lets a worker finish its inference: killing it there would abort the process', async () => {
    const log = recordingLog();
    const slow = onnxEngine({ log, workers: 1, workerUrl: mortalWorker });
    const said = (what: string): boolean => log.lines.some(({ message }) => message === what);
    const picture = slow.decode(text('slow')).catch(({ name }: Error) => name);
    while (!said('slow has begun')) await setTimeout(5);

    await slow.close();

    assert.equal(await picture, 'Unavailable');
    assert.ok(said('slow has ended'));
  });

  test('closing the pool rejects queued and new requests', async () => {
    const closing = onnxEngine({ log: recordingLog(), workers: 1, workerUrl: mortalWorker, closeMs: 20 });
    const waiting = ['never', 'more'].map((word) => closing.decode(text(word)));

    const [answers] = await Promise.all([Promise.allSettled(waiting), closing.close()]);

    for (const answer of answers) assert.equal(answer.status === 'rejected' && answer.reason.name, 'Unavailable');
    await assert.rejects(closing.decode(text('late')), { name: 'Unavailable', message: 'the image engine is closed' });
  });

  test('a missing execution provider is reported once, and the CPU is used instead', async () => {
    const log = recordingLog();
    const gpu = onnxEngine({ log, workers: 2, providers: ['nosuch', 'cpu'] });
    after(() => gpu.close());
    const one = picture(64, 300);

    assert.equal(await gpu.score({ tool: 'psnr', picture: one, reference: one }), 80);
    assert.ok(Math.abs((await gpu.score({ tool: 'ssim', picture: one, reference: one })) - 1) < 1e-6);

    const warnings = log.lines.filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['execution provider nosuch does not work here, going on without it'],
    );
  });

  test('a score carries the versions of the software that computed it', () => {
    const versions = engine.versions();

    assert.deepEqual(Object.keys(versions), ['sharp', 'vips', 'onnxruntime']);
    assert.ok(Object.values(versions).every((version) => /^\d+\.\d+\.\d+/.test(version)));
  });
});

describe('requests that cannot be scored', () => {
  const engine = testEngine();
  after(() => engine.close());

  test('requests that cannot be scored are refused with the tool, the picture and what to do', async () => {
    const cat = await engine.decode(goldenImage('chelsea.png').bytes, 'cat.png');
    const other = picture(100, 90, 'other.png');

    await assert.rejects(engine.score({ tool: 'ssim', picture: cat }), {
      name: 'InvalidInput',
      message: 'ssim compares cat.png with a reference, and none is given; add one or use a no-reference tool',
    });
    await assert.rejects(engine.score({ tool: 'niqe', picture: cat, reference: cat }), {
      name: 'InvalidInput',
      message: 'niqe takes no reference, but cat.png is given for cat.png; leave it out',
    });
    await assert.rejects(engine.score({ tool: 'ssim', picture: cat, reference: other }), {
      name: 'InvalidInput',
      message: /ssim needs pictures of one size: cat\.png has 451 x 300, other\.png has 100 x 90; scale or crop/,
    });
    await assert.rejects(engine.score({ tool: 'topiq_nr', picture: cat }), {
      name: 'Unavailable',
      message: /topiq_nr has no graph here and no model file; add one with: assay models add topiq_nr/,
    });
  });
});

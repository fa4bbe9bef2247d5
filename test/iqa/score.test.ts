import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { executeTool } from '../../shared/iqa/execute-tool.ts';
import { createStamp, publishKeys } from '../../shared/iqa/hallmark.ts';
import { parseMetadata } from '../../shared/iqa/metadata.ts';
import { normaliseScore } from '../../shared/iqa/normalise.ts';
import { overallOf } from '../../shared/iqa/overall.ts';
import { type ScoreReport, scoreImage } from '../../shared/iqa/score.ts';
import { createScoreCache } from '../../shared/iqa/score-cache.ts';
import { verifyScores } from '../../shared/iqa/verify-score.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import type { Fault } from '../../shared/kernel/errors.ts';
import { goldenImage, scoring, testEngine, watchingMemory } from '../support/iqa.ts';
import { recordingLog } from '../support/recording-log.ts';

const image = goldenImage('chelsea_jpeg_2.png');
const reference = goldenImage('chelsea.png');
const tenant = 'default';

describe('scoring a picture', () => {
  const engine = testEngine();
  after(() => engine.close());

  test('R0.04 a full-reference tool gets two pictures and returns its raw score', async () => {
    const { deps } = scoring(engine);

    const report = await scoreImage(deps, { tenant, image, reference, tools: ['ssim'] });

    const [score] = report.scores;
    assert.equal(score?.tool, 'ssim');
    assert.ok(Math.abs((score?.raw ?? 0) - 0.89951563) < 2e-5);
    assert.equal(
      score?.normalized,
      normaliseScore(deps.catalogue.find('ssim') ?? assert.fail(), score?.raw ?? 0).normalized,
    );
    const { low = 5, high = 1, normalized = 0 } = score ?? {};
    assert.ok(
      1 <= low && low < normalized && normalized < high && high <= 5,
      JSON.stringify({ low, normalized, high }),
    );
    assert.deepEqual(report.image, { sha256: sha256(image.bytes), width: 451, height: 300, format: 'png' });
    assert.equal(report.reference?.sha256, sha256(reference.bytes));
  });

  test('R0.05 a no-reference tool gets one picture and returns its raw score', async () => {
    const { deps } = scoring(engine);

    const { scores } = await scoreImage(deps, { tenant, image: reference, tools: ['niqe', 'brisque'] });

    assert.deepEqual(
      scores.map(({ tool, raw, low }) => [tool, raw?.toFixed(3), low]),
      [
        ['niqe', '2.572', undefined],
        ['brisque', '2.572', undefined],
      ],
    );
  });

  test('R0.07 a failing tool is logged and throws ToolExecutionError with the cause', async () => {
    const cause = new Error('out of luck');
    const log = recordingLog();
    const failing = { ...engine, score: () => Promise.reject(cause) };
    const picture = await engine.decode(image.bytes, 'cat.png');
    const tool = scoring(engine).deps.catalogue.find('niqe') ?? assert.fail();

    await assert.rejects(executeTool({ engine: failing, log }, { tool, picture }), (thrown: Fault) => {
      assert.equal(thrown.code, 'ToolExecutionError');
      assert.equal(thrown.cause, cause);
      assert.match(thrown.message, /niqe failed on cat\.png: out of luck/);
      return true;
    });
    assert.deepEqual(log.lines, [
      {
        level: 'error',
        message: 'image-quality tool failed',
        fields: { tool: 'niqe', image: 'cat.png', error: 'out of luck' },
      },
    ]);
  });

  test('R0.07 when one of several tools fails, its place has the error; when all fail, scoring is a fault', async () => {
    const broken = {
      ...engine,
      score: (request: Parameters<typeof engine.score>[0]) =>
        request.tool === 'piqe' ? Promise.reject(new Error('broken')) : engine.score(request),
    };
    const { deps } = scoring(broken);

    const { scores, overall } = await scoreImage(deps, { tenant, image, tools: ['niqe', 'piqe'] });

    assert.equal(scores[0]?.error, undefined);
    assert.deepEqual(scores[1]?.error, { code: 'ToolExecutionError', message: `piqe failed on ${image.name}: broken` });
    assert.deepEqual(overall?.tools, ['niqe']);
    await assert.rejects(scoreImage(deps, { tenant, image, tools: ['piqe'] }), { name: 'ToolExecutionError' });
  });

  test('R0.13 a cache hit neither runs the tool nor decodes the picture, and says so', async () => {
    const { deps, runs } = scoring(engine);
    const first = await scoreImage(deps, { tenant, image, tools: ['piqe'] });

    const second = await scoreImage(
      { ...deps, engine: { ...deps.engine, decode: () => assert.fail('it was decoded') } },
      { tenant, image, tools: ['PIQE'] },
    );

    assert.deepEqual(runs, ['piqe']);
    assert.deepEqual([first.scores[0]?.cached, second.scores[0]?.cached], [false, true]);
    assert.equal(second.scores[0]?.raw, first.scores[0]?.raw);
    assert.deepEqual(second.image, first.image);
  });

  test('R0.12 scores of an older calibration are never reused', async () => {
    const table = memoryTable();
    const withBeta3 = (beta3: number) => {
      const params = { beta1: 1, beta2: 5, beta3, beta4: 10 };
      const text = JSON.stringify({
        piqe: { type: 'NR', strengths: [], lower_better: true, graph: 'piqe', logistic_params: params },
      });
      const cache = createScoreCache({ table, log: recordingLog() });
      return scoring(engine, { catalogue: parseMetadata(text, 'tools.json'), cache });
    };
    const score = async ({ deps }: ReturnType<typeof withBeta3>) =>
      (await scoreImage(deps, { tenant, image, tools: ['piqe'] })).scores[0];

    const before = await score(withBeta3(50));
    const again = await score(withBeta3(50));
    const recalibrated = await score(withBeta3(60));

    assert.deepEqual([again?.cached, again?.normalized], [true, before?.normalized]);
    assert.equal(recalibrated?.cached, false);
    assert.notEqual(recalibrated?.normalized, before?.normalized);
  });

  test('with a reference the overall score predicts opinion from vsi, mdsi and haarpsi, with an interval', async () => {
    const { deps } = scoring(engine);

    const { scores, overall } = await scoreImage(deps, { tenant, image, reference });

    assert.deepEqual(scores.map(({ tool }) => tool).sort(), ['haarpsi', 'mdsi', 'vsi']);
    const raw = Object.fromEntries(scores.map((score) => [score.tool, score.raw]));
    const { score, low, high, word } = overallOf(raw) ?? assert.fail();
    assert.deepEqual([overall?.score, overall?.low, overall?.high, overall?.word], [score, low, high, word]);
    assert.ok(low < score && score < high);
    assert.ok(typeof overall?.mean === 'number' && typeof overall.spread === 'number');
  });

  test('identical pictures have an overall score of exactly 5, also in different files', async () => {
    const { deps } = scoring(engine);
    const picture = await engine.decode(reference.bytes, 'chelsea.png');
    const copy = { bytes: await engine.encode(picture.pixels, { format: 'png' }), name: 'copy.png' };

    const overall = async (over = {}) => (await scoreImage(deps, { tenant, image: copy, reference, ...over })).overall;

    assert.equal((await overall())?.score, 5);
    assert.equal((await overall({ tools: ['ssim', 'fsim', 'nlpd'] }))?.score, 5);
  });

  test('without a reference there is no overall score, and each metric says what it cannot detect', async () => {
    const { deps } = scoring(engine);

    const { scores, overall } = await scoreImage(deps, { tenant, image });

    assert.deepEqual(
      scores.map(({ tool }) => tool),
      ['niqe', 'brisque', 'piqe'],
    );
    assert.ok(scores.every(({ limits }) => limits?.includes('contrast change')));
    assert.equal(overall?.score, undefined);
    assert.match(overall?.note ?? '', /no single number/);
  });

  test('a no-reference tool requested with a reference ignores it and says so', async () => {
    const { deps } = scoring(engine);

    const both = await scoreImage(deps, { tenant, image, reference, tools: ['niqe', 'ssim'] });
    const alone = await scoreImage(deps, { tenant, image, tools: ['niqe'] });

    assert.equal(both.scores[0]?.raw, alone.scores[0]?.raw);
    assert.deepEqual(both.scores[0]?.warnings, ['looks at one picture alone: the reference was not used']);
    assert.deepEqual(both.overall?.tools, ['ssim']);
  });

  test('with distortions, tools strong at them are used, full-reference first with a reference', async () => {
    const { deps } = scoring(engine);

    const { scores } = await scoreImage(deps, { tenant, image, reference, distortions: ['Compression'] });

    const tools = scores.map(({ tool }) => deps.catalogue.find(tool) ?? assert.fail(tool));
    assert.ok(tools.every(({ strengths }) => strengths.includes('Compression')));
    assert.equal(tools[0]?.type, 'FR');
    assert.deepEqual(
      tools.map(({ type }) => type),
      [...tools.map(({ type }) => type)].sort(),
    );
  });

  test('scores are signed with a hallmark when there is a key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { deps } = scoring(engine, { stamp: createStamp(privateKey) });

    const report = await scoreImage(deps, { tenant, image, reference, tools: ['psnr', 'ssim'] });

    const verdicts = verifyScores(JSON.parse(JSON.stringify(report)), publishKeys([publicKey]).keys);
    assert.deepEqual(verdicts, [
      { tool: 'psnr', valid: true },
      { tool: 'ssim', valid: true },
      { tool: 'the whole answer', valid: true },
    ]);
    const statement = report.scores[0]?.hallmark?.statement;
    assert.match(statement?.graph_sha256 ?? '', /^[0-9a-f]{64}$/);
    assert.match(statement?.decoder ?? '', /sharp \d/);
  });

  test('the hallmark of the response detects every change of it, and scores of version 1 still verify', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { deps } = scoring(engine, { stamp: createStamp(privateKey) });
    const { keys } = publishKeys([publicKey]);

    const report = await scoreImage(deps, { tenant, image, reference, tools: ['psnr', 'ssim'] });

    const { hallmark, ...ofVersion1 } = JSON.parse(JSON.stringify(report)) as ScoreReport;
    assert.equal(hallmark?.statement.v, 2);
    assert.ok(verifyScores(ofVersion1, keys).every(({ valid }) => valid));
    const changed: readonly (readonly [string, object])[] = [
      ['image', { image: { ...report.image, width: 4000 } }],
      ['image', { image: { ...report.image, format: 'tiff' } }],
      ['overall', { overall: { ...report.overall, mean: 5 } }],
      ['overall', { overall: { ...report.overall, high: 5 } }],
      ['overall', { overall: null }],
      ['scores', { scores: report.scores.slice(1) }],
    ];
    for (const [part, change] of changed) {
      const verdict = verifyScores(JSON.parse(JSON.stringify({ ...report, ...change })), keys).at(-1);
      assert.equal(verdict?.valid, false, part);
      assert.match(verdict?.reason ?? '', new RegExp(`^${part} says`));
    }
  });

  test('picture memory is released, also when scoring fails', async () => {
    const watching = watchingMemory(engine);
    const { deps } = scoring(watching.engine);
    const score = (other: typeof image, tool: string) =>
      scoreImage(deps, { tenant, image, reference: other, tools: [tool] }).catch(() => 'refused');

    assert.notEqual(await score(reference, 'psnr'), 'refused');
    assert.equal(await score(goldenImage('astronaut.png'), 'psnr'), 'refused');
    assert.equal(await score({ name: 'no.png', bytes: new Uint8Array(9) }, 'psnr'), 'refused');

    assert.deepEqual([...watching.held], []);
  });

  const refusals: readonly (readonly [string, Partial<Parameters<typeof scoreImage>[1]>, string, RegExp])[] = [
    ['a full-reference tool without reference', { tools: ['ssim'] }, 'InvalidInput', /ssim compares with a reference/],
    ['an unknown tool', { tools: ['sssim'] }, 'NotFound', /no image-quality tool sssim; did you mean ssim\?/],
    ['a tool without its model', { tools: ['topiq_nr'] }, 'Unavailable', /assay models add topiq_nr/],
    ['an unknown distortion', { distortions: ['Ghosts'] }, 'InvalidInput', /Ghosts is not a distortion category/],
    [
      'a reference of another size',
      { tools: ['ssim'], reference: goldenImage('astronaut.png') },
      'InvalidInput',
      /chelsea_jpeg_2\.png has 451 x 300 pixels, its reference astronaut\.png 384 x 384/,
    ],
    [
      'bytes that are no picture',
      { tools: ['niqe', 'piqe'], image: { bytes: Buffer.from('no picture'), name: 'note.txt' } },
      'InvalidInput',
      /note\.txt/,
    ],
  ];
  for (const [what, request, name, message] of refusals) {
    test(`${what} is refused with what to do`, async () => {
      await assert.rejects(scoreImage(scoring(engine).deps, { tenant, image, ...request }), { name, message });
    });
  }
});

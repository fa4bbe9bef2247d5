import { stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Assay } from '../../../shared/assay.ts';
import { chooseTools } from '../../../shared/iqa/choose-tools.ts';
import { chooseMapTool } from '../../../shared/iqa/heat-map.ts';
import { paintQualityMap } from '../../../shared/iqa/paint-map.ts';
import { type ScoreReport, scoreImage } from '../../../shared/iqa/score.ts';
import { shrinkTo } from '../../../shared/iqa/shrink.ts';
import { Fault, messageOf } from '../../../shared/kernel/errors.ts';
import { readFault } from '../../client/read-fault.ts';
import { type Cli, type Command, option, textOption, UsageError, wholeNumber } from '../command.ts';
import { type Bound, findFailures, parseBounds } from '../fail-under.ts';
import { qualityOf, renderReport } from '../html-report.ts';
import { uploadPicture } from '../picture-files.ts';
import { findPictures, readShared } from '../pictures.ts';
import { createProgress } from '../progress.ts';
import { named, readNamed } from '../read-file.ts';
import { type ScoredFile, scoresCsv, scoreTable } from '../score-table.ts';

type Score = (file: string, reference: string | undefined) => Promise<ScoreReport>;

export const score: Command = {
  usage:
    'score IMAGE|DIR|GLOB... [--reference FILE|DIR] [--tools a,b] [--distortions a,b] [--map out.png] [--csv out.csv] [--html report.html] [--limit N] [--fail-under ssim=0.98,overall=4]',
  summary:
    'Scores pictures; a reference folder is searched for files of the same name; exit code 1 if any picture failed or is under a bound',
  options: {
    reference: option('FILE|DIR', 'the original, or a folder of originals with the same names'),
    tools: option('LIST', 'these metrics, instead of the best three'),
    distortions: option('LIST', 'the metrics that are strong at these, such as jpeg,noise'),
    map: option('FILE', 'draws where the picture differs from the reference'),
    csv: option('FILE', 'writes a table of all results'),
    html: option('FILE', 'writes a page of all results, worst first'),
    limit: option('N', 'at most this many pictures'),
    'fail-under': option('LIST', 'exit code 1 for a picture below, such as ssim=0.98,overall=4'),
  },
  async run(cli) {
    const bounds = parseBounds(textOption(cli, 'fail-under'));
    const files = await chosenFiles(cli);
    const referenceOf = await references(textOption(cli, 'reference'));
    const local = await cli.local();
    const results = await scoreAll(
      files,
      referenceOf,
      local ? localScore(cli, local, bounds) : remoteScore(cli, bounds),
    );
    const lowerIsBetter = (tool: string) => local?.iqa?.catalogue.find(tool)?.lower_better ?? false;
    const judged = results.map((each) => ({
      ...each,
      failures: each.report ? findFailures(each.report, bounds, lowerIsBetter) : [],
    }));

    const [only] = judged;
    // A picture that failed has only its error to show.
    if (cli.output.json || files.length > 1 || only?.report)
      cli.output.result(files.length === 1 ? (only?.report ?? only) : judged, () => scoreTable(judged, cli.output));
    const csv = textOption(cli, 'csv');
    if (csv !== undefined) await writeFile(csv, scoresCsv(judged));
    const html = textOption(cli, 'html');
    if (html !== undefined) await writeReport(local, judged, referenceOf, html);
    const map = textOption(cli, 'map');
    if (map !== undefined) await writeMap(cli, local, files, referenceOf, map);
    const failed = judged.filter(({ error, failures }) => error !== undefined || failures.length > 0);
    for (const { file, error, failures } of failed)
      cli.output.note(error ? `${error.code}: ${error.message}` : `${file}: ${failures.join('; ')}`);
    return failed.length > 0 ? 1 : 0;
  },
};

const chosenFiles = async (cli: Cli): Promise<readonly string[]> => {
  if (cli.positionals.length === 0) throw new UsageError('IMAGE is missing: name a picture, a folder or a pattern');
  const limit = wholeNumber(cli, 'limit');
  const files = await findPictures(cli.positionals);
  if (files.length === 0) throw new UsageError(`there is no picture in ${cli.positionals.join(', ')}`);
  return files.slice(0, limit);
};

/** The reference of a picture: one file for all, or the file of the same name in a folder. */
const references = async (given: string | undefined): Promise<(file: string) => string | undefined> => {
  if (given === undefined) return () => undefined;
  const there = await stat(given).catch(() => undefined);
  if (!there) throw new UsageError(`there is no reference ${given}`);
  return there.isDirectory() ? (file) => join(given, basename(file)) : () => given;
};

const scoreAll = async (
  files: readonly string[],
  referenceOf: (file: string) => string | undefined,
  scoreOne: Score,
): Promise<readonly ScoredFile[]> => {
  const results: ScoredFile[] = new Array(files.length);
  const progress = createProgress(files.length, process.stderr, files.length > 1 && process.stderr.isTTY === true);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < files.length; at = next++) {
      const file = files[at] ?? '';
      results[at] = await scoreOne(file, referenceOf(file)).then(
        (report) => ({ file, report }),
        (error: unknown) => ({
          file,
          error: { code: error instanceof Fault ? error.code : 'Internal', message: messageOf(error) },
        }),
      );
      progress.step(file);
    }
  };
  // Two pictures per core: while one is read from disk, the other is scored.
  await Promise.all(Array.from({ length: Math.min(files.length, 2 * availableParallelism()) }, work));
  progress.done();
  return results;
};

const words = (cli: Cli, name: string): readonly string[] | undefined =>
  textOption(cli, name)
    ?.split(',')
    .map((word) => word.trim());

const readPicture = async (file: string) => {
  return { bytes: await named(file, readShared(file)), name: file };
};

/** A threshold on a tool also requests that tool. */
const boundTools = (bounds: readonly Bound[]): readonly string[] =>
  bounds.map(({ name }) => name).filter((name) => name !== 'overall');

const localScore = (cli: Cli, { iqa }: Assay, bounds: readonly Bound[]): Score => {
  if (!iqa) throw new Fault('Unavailable', 'this installation does not score pictures');
  const asked = { tools: words(cli, 'tools'), distortions: words(cli, 'distortions') };
  return async (file, reference) => {
    const hasReference = reference !== undefined;
    const chosen = chooseTools(iqa.catalogue, { hasReference, ...asked }, await iqa.computations.availability());
    return scoreImage(iqa, {
      tenant: textOption(cli, 'tenant') ?? 'default',
      tools: [...new Set([...chosen, ...boundTools(bounds)])],
      image: await readPicture(file),
      reference: hasReference ? await readPicture(reference) : undefined,
    });
  };
};

/** A request may have 4 MB; larger pictures are uploaded and scored by their keys. */
const MOST_IN_A_REQUEST = 3_900_000;

const remoteScore =
  (cli: Cli, bounds: readonly Bound[]): Score =>
  async (file, reference) => {
    const api = await cli.api();
    const image = await readNamed(file);
    const original = reference === undefined ? undefined : await readNamed(reference);
    const tools = [...(words(cli, 'tools') ?? []), ...boundTools(bounds)];
    const asked = { tools: tools.length === 0 ? undefined : tools, distortions: words(cli, 'distortions') };
    if (image.length + (original?.length ?? 0) > MOST_IN_A_REQUEST) {
      const keyOf = async (name: string, bytes: Buffer) => ({ key: await uploadPicture(api, name, bytes) });
      return api.json<ScoreReport>('POST', '/v1/score', {
        image: await keyOf(file, image),
        reference: original && reference !== undefined ? await keyOf(reference, original) : undefined,
        ...asked,
      });
    }
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(image)]), basename(file));
    if (original && reference !== undefined)
      form.set('reference', new Blob([new Uint8Array(original)]), basename(reference));
    for (const [name, list] of Object.entries(asked)) if (list) form.set(name, list.join(','));
    const response = await api.fetch('/v1/score', { method: 'POST', body: form });
    if (!response.ok) throw await readFault(response);
    return (await response.json()) as ScoreReport;
  };

/** With more thumbnails the page would be too large to open, so the best pictures get none. */
const MAX_THUMBNAILS = 1000;

const writeReport = async (
  local: Assay | undefined,
  results: readonly ScoredFile[],
  referenceOf: (file: string) => string | undefined,
  out: string,
): Promise<void> => {
  if (!local?.iqa) throw new UsageError('--html works on this machine only; leave --url out');
  const { engine } = local.iqa;
  const thumbnail = async (file: string | undefined): Promise<string | undefined> => {
    if (file === undefined) return undefined;
    const { bytes, name } = await readPicture(file);
    const picture = await engine.decode(bytes, name);
    const small = await engine.encode(shrinkTo(picture.pixels, 240), { format: 'webp', quality: 75 });
    engine.release(picture);
    return `data:image/webp;base64,${Buffer.from(small).toString('base64')}`;
  };
  const worstFirst = results.toSorted((a, b) => (quality(a) ?? 9) - (quality(b) ?? 9));
  const entries = await Promise.all(
    worstFirst.map(async (each, at) => {
      if (!each.report || at >= MAX_THUMBNAILS) return each;
      const [picture, reference] = await Promise.all([thumbnail(each.file), thumbnail(referenceOf(each.file))]);
      return { ...each, picture, reference };
    }),
  );
  await writeFile(out, renderReport(entries));
};

const quality = ({ report }: ScoredFile): number | undefined => report && qualityOf(report);

const writeMap = async (
  cli: Cli,
  local: Assay | undefined,
  files: readonly string[],
  referenceOf: (file: string) => string | undefined,
  out: string,
): Promise<void> => {
  const [file] = files;
  const reference = file === undefined ? undefined : referenceOf(file);
  if (file === undefined || files.length !== 1 || reference === undefined)
    throw new UsageError('--map takes one picture and its --reference');
  if (!local?.iqa) throw new UsageError('--map works on this machine only; leave --url out');
  const { engine } = local.iqa;
  // The map of the metric that gave the score, where it has one.
  const tool = chooseMapTool(words(cli, 'tools') ?? []);
  const pictures = { image: await readPicture(file), reference: await readPicture(reference) };
  const { pixels, low, high } = await paintQualityMap(engine, { tool, ...pictures, hasLegend: true });
  await writeFile(out, await engine.encode(pixels, { format: 'png' }));
  cli.output.note(`${tool} map written to ${out}; the scale is ${low} (full heat) to ${high}`);
};

import { writeFile } from 'node:fs/promises';
import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import { FIT_FORMATS, type FitFormat, fitImage } from '../../../shared/iqa/fit.ts';
import type { PublishedKey } from '../../../shared/iqa/hallmark.ts';
import { verifyScores, WHOLE_ANSWER } from '../../../shared/iqa/verify-score.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { type Cli, type Command, flag, option, required, textOption, UsageError } from '../command.ts';
import { createLocalIqa } from '../local-command.ts';
import { formatTable } from '../output.ts';
import { readNamed } from '../read-file.ts';

interface ListedTool {
  readonly name: string;
  readonly type: string;
  readonly strengths: readonly string[];
  readonly lower_better?: boolean;
  readonly available: boolean;
  readonly description?: string;
}

export const listIqa: Command = {
  usage: 'iqa list [--distortion D] [--type FR|NR] [--reference] [--available]',
  summary: 'Lists image-quality tools, with what they are strong at and whether they can run here',
  options: {
    distortion: option('D', 'only metrics that are strong at it, such as jpeg or noise'),
    type: option('FR|NR', 'full reference, which compares, or no reference'),
    reference: flag('whether there is an original to compare with'),
    available: flag('only metrics that can run here'),
  },
  async run(cli) {
    const query = new URLSearchParams();
    for (const name of ['distortion', 'type'])
      if (textOption(cli, name) !== undefined) query.set(name, textOption(cli, name) ?? '');
    for (const name of ['reference', 'available']) if (cli.values[name]) query.set(name, 'true');
    const { tools } = await (await cli.api()).json<{ tools: readonly ListedTool[] }>('GET', `/v1/iqa/tools?${query}`);
    cli.output.result({ tools }, () =>
      formatTable(tools, [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'TYPE', value: ({ type }) => type },
        { title: 'BETTER', value: ({ lower_better }) => (lower_better ? 'lower' : 'higher') },
        { title: 'HERE', value: ({ available }) => (available ? 'yes' : 'no') },
        { title: 'STRONG AT', value: ({ strengths }) => strengths.join(', '), width: 70 },
      ]),
    );
    return 0;
  },
};

export const verify: Command = {
  usage: 'verify SCORE.json [--keys KEYS.json]',
  summary: 'Checks the hallmarks of a score document offline, against the keys of this data directory or of a file',
  options: { keys: option('FILE', 'public keys as JSON, instead of those of the data directory') },
  async run(cli) {
    const file = required(cli, 0, 'SCORE.json');
    const document = parseJsonFile(file, await readText(file));
    const verdicts = verifyScores(document, await readKeys(cli));
    const isWhole = verdicts.some(({ tool }) => tool === WHOLE_ANSWER);
    cli.output.result(verdicts, () =>
      [
        ...verdicts.map(
          ({ tool, valid, reason }) =>
            `${valid ? 'valid  ' : 'INVALID'} ${tool}${reason === undefined ? '' : `: ${reason}`}`,
        ),
        // A missing hallmark proves nothing: whoever changes a response can also remove it.
        ...(isWhole ? [] : ['not signed: dimensions, format and overall; the answer itself has no hallmark']),
      ].join('\n'),
    );
    return verdicts.every(({ valid }) => valid) ? 0 : 1;
  },
};

const readKeys = async (cli: Cli): Promise<readonly PublishedKey[]> => {
  const file = textOption(cli, 'keys');
  if (file === undefined)
    return (await (await cli.api()).json<{ keys: readonly PublishedKey[] }>('GET', '/.well-known/assay-keys.json'))
      .keys;
  const { keys } = parseJsonFile(file, await readText(file)) as { keys?: readonly PublishedKey[] };
  if (!Array.isArray(keys))
    throw new Fault('InvalidInput', `${file} has no keys; it must be a copy of /.well-known/assay-keys.json`);
  return keys;
};

export const fit: Command = {
  usage: 'fit IMAGE --target ssimulacra2=80 [--formats jpeg,webp,avif] [--effort 0..9] [--out FILE]',
  summary: 'Finds the smallest JPEG, WebP or AVIF of a picture that still meets a target, and writes it',
  options: {
    target: option('METRIC=VALUE', 'the score to reach, such as ssimulacra2=80'),
    formats: option('LIST', 'of jpeg, webp and avif; all three unless given'),
    effort: option('0..9', 'how long the encoder may search'),
    out: option('FILE', 'where the result is written'),
  },
  async run(cli) {
    const file = required(cli, 0, 'IMAGE');
    const target = parseTarget(textOption(cli, 'target'));
    const formats = textOption(cli, 'formats')?.split(',').map(parseFormat);
    const effort = parseEffort(textOption(cli, 'effort'));
    const iqa = await createLocalIqa(cli);
    const watched = process.stderr.isTTY === true;
    const { report, bytes } = await fitImage(iqa, {
      image: { bytes: new Uint8Array(await readNamed(file)), name: file },
      target,
      formats,
      effort,
      progress: ({ format, quality, raw, bytes: size }, done, total) => {
        if (watched)
          process.stderr.write(
            `\r\u001b[K${done}/${total} ${format} ${quality}: ${target.tool} ${raw.toFixed(4)}, ${size} bytes`,
          );
      },
    });
    if (watched) process.stderr.write('\r\u001b[K');
    const out = textOption(cli, 'out') ?? (report.best && `${file.replace(/\.[^./]+$/, '')}.fit.${report.best.format}`);
    if (bytes && out) await writeFile(out, bytes);
    cli.output.result({ ...report, file: bytes && out }, () => fitText(report, out ?? undefined));
    return report.best ? 0 : 1;
  },
};

const fitText = (report: Awaited<ReturnType<typeof fitImage>>['report'], out: string | undefined): string => {
  const curve = formatTable(report.curve, [
    { title: 'FORMAT', value: ({ format }) => format },
    { title: 'QUALITY', right: true, value: ({ quality }) => String(quality) },
    { title: 'BYTES', right: true, value: ({ bytes }) => String(bytes) },
    { title: report.target.tool.toUpperCase(), right: true, value: ({ raw }) => raw.toFixed(5) },
    { title: '', value: ({ meets }) => (meets ? 'meets' : '') },
  ]);
  if (!report.best) return `${curve}\nno quality meets ${report.target.tool} ${report.target.value}`;
  const share = ((100 * report.best.bytes) / report.image.bytes).toFixed(1);
  return `${curve}\nbest: ${report.best.format} at quality ${report.best.quality}, ${report.best.bytes} bytes (${share} % of the original), written to ${out}`;
};

const parseTarget = (text: string | undefined) => {
  const [tool = '', value = ''] = (text ?? '').split('=');
  if (tool === '' || value === '' || !Number.isFinite(Number(value)))
    throw new UsageError('--target takes a metric and its bound, such as ssim=0.97');
  return { tool, value: Number(value) };
};

const parseEffort = (text: string | undefined): number | undefined => {
  if (text === undefined || /^[0-9]$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--effort takes 0 (quick) to 9 (small), not ${text}`);
};

const parseFormat = (text: string): FitFormat => {
  const found = FIT_FORMATS.find((format) => format === text.trim());
  if (!found) throw new UsageError(`--formats takes ${FIT_FORMATS.join(', ')}, not ${text}`);
  return found;
};

const readText = async (file: string): Promise<string> => (await readNamed(file)).toString('utf8');

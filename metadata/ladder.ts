import { readdir, readFile, writeFile } from 'node:fs/promises';
import { onnxEngine } from '../shared/adapters/onnx/engine.ts';
import { distortAtLevel, LADDER } from '../shared/iqa/calibration/ladder.ts';
import { findStrengths, type Observation } from '../shared/iqa/calibration/observe.ts';
import type { IqaEngine, Picture } from '../shared/iqa/engine.ts';
import { type IqaTool, parseMetadata } from '../shared/iqa/metadata.ts';
import { shippedComputations } from '../shared/iqa/shipped.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import type { Distortion } from '../shared/model/iqa.ts';
import { formatMetadata } from './format.ts';
import { renderLadder } from './ladder-report.ts';
import { replaceSection } from './readme-section.ts';

/** `npm run ladder`: measures every tool that can run here on the distortion ladder; writes strengths and tables. */
const main = async (): Promise<void> => {
  const file = new URL('./tools.json', import.meta.url);
  const text = await readFile(file, 'utf8');
  const shipped = shippedComputations();
  const tools = parseMetadata(text, 'metadata/tools.json').tools.filter(
    ({ graph }) => graph !== undefined && shipped.has(graph),
  );
  const engine = onnxEngine({ log: { info: () => {}, warn: console.warn, error: console.error } });
  try {
    const observations = await observeAll(engine, tools);
    const strengths = findStrengths(observations, tools, kindsByCategory());
    const metadata = JSON.parse(text) as Record<string, Record<string, unknown>>;
    for (const { name } of tools)
      metadata[name] = { ...metadata[name], strengths: strengths.get(name) ?? [], evidence: 'measured' };
    await writeFile(file, formatMetadata(metadata));
    const readme = new URL('./README.md', import.meta.url);
    const report = renderLadder(observations, tools);
    await writeFile(readme, replaceSection(await readFile(readme, 'utf8'), 'ladder', report));
    console.log(report);
  } finally {
    await engine.close();
  }
};

const kindsByCategory = (): ReadonlyMap<Distortion, readonly string[]> =>
  new Map(
    [...new Set(LADDER.map(({ category }) => category))].map((category) => [
      category,
      LADDER.filter((rung) => rung.category === category).map(({ kind }) => kind),
    ]),
  );

const observeAll = async (engine: IqaEngine, tools: readonly IqaTool[]): Promise<readonly Observation[]> => {
  const folder = new URL('./photographs/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.webp')).sort();
  const observations: Observation[] = [];
  for (const [done, name] of files.entries()) {
    const original = await engine.decode(await readFile(new URL(name, folder)), name);
    const pictures = [{ picture: original, kind: 'none', level: 0 }, ...(await climb(engine, original))];
    console.log(`${name} (${done + 1} of ${files.length}): ${pictures.length} pictures, ${tools.length} tools`);
    for (const { picture, kind, level } of pictures) {
      const scores = await Promise.all(tools.map((tool) => scoreOne(engine, tool, picture, original)));
      const photograph = name.replace(/\..*/, '');
      observations.push(...scores.flatMap((score) => (score ? [{ ...score, photograph, kind, level }] : [])));
    }
  }
  return observations;
};

const climb = (engine: IqaEngine, original: Picture) =>
  Promise.all(
    LADDER.flatMap((rung) =>
      [1, 2, 3, 4, 5].map(async (level) => {
        const pixels = await distortAtLevel(rung, level, original.pixels, engine);
        const picture: Picture = { ...original, name: `${original.name} ${rung.kind} ${level}`, pixels };
        return { picture, kind: rung.kind, level };
      }),
    ),
  );

const scoreOne = async (engine: IqaEngine, tool: IqaTool, picture: Picture, reference: Picture) => {
  try {
    const other = tool.type === 'FR' ? { reference } : {};
    return { tool: tool.name, raw: await engine.score({ tool: tool.name, picture, ...other }) };
  } catch (thrown) {
    // A picture for which a tool gives no value is skipped.
    console.warn(messageOf(thrown));
    return undefined;
  }
};

await main();

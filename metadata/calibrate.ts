import { readFile, writeFile } from 'node:fs/promises';
import { crossValidate, modelSets } from '../shared/iqa/calibration/cross-validate.ts';
import { fitLogistic } from '../shared/iqa/calibration/fit-logistic.ts';
import { placeKnots } from '../shared/iqa/calibration/fit-opinion-model.ts';
import { type Opinion, parseOpinions } from '../shared/iqa/calibration/opinions.ts';
import { seenKinds } from '../shared/iqa/calibration/seen-kinds.ts';
import { type IqaTool, parseMetadata } from '../shared/iqa/metadata.ts';
import { renderOpinions } from './calibration-report.ts';
import { formatMetadata } from './format.ts';
import { replaceSection } from './readme-section.ts';

/**
 * `npm run calibrate -- TABLE`: fits every metric and the overall prediction to the mean opinions of a table, such as
 * TID2013's, and writes `tools.json`, `opinion.json` and the figures of the README.
 */
const main = async (): Promise<void> => {
  const [table] = process.argv.slice(2);
  if (table === undefined) throw new Error('name the table of opinions: npm run calibrate -- scores.csv');
  const rows = parseOpinions(await readFile(table, 'utf8'));
  const file = new URL('./tools.json', import.meta.url);
  const text = await readFile(file, 'utf8');
  const measured = parseMetadata(text, 'metadata/tools.json').tools.filter(({ name }) => name in (rows[0]?.raw ?? {}));
  const full = measured.flatMap((tool) =>
    tool.identical === undefined ? [] : [{ ...tool, identical: tool.identical }],
  );
  const knots = placeKnots(rows, full);
  const fitted = modelSets(full.map(({ name }) => name)).map((tools) => crossValidate(rows, tools, knots));
  const models = fitted.map(({ model }) => model);
  await writeFile(new URL('./opinion.json', import.meta.url), modelsText(knots, models));
  const metadata = JSON.parse(text) as Record<string, Record<string, unknown>>;
  for (const tool of measured) metadata[tool.name] = { ...metadata[tool.name], ...fitScale(rows, tool) };
  await writeFile(file, formatMetadata(metadata));
  const report = renderOpinions(rows, measured, fitted);
  const readme = new URL('./README.md', import.meta.url);
  await writeFile(readme, replaceSection(await readFile(readme, 'utf8'), 'calibrate', report));
  console.log(report);
};

/** A no-reference tool is fitted on the distortions that it responds to; the others are listed in `blind_to`. */
const fitScale = (rows: readonly Opinion[], tool: IqaTool) => {
  const { seen, unseen } = seenKinds(rows, tool);
  const own = tool.type === 'FR' ? rows : rows.filter(({ distortion }) => seen.includes(distortion));
  const points = own.map(({ raw, opinion }) => ({ x: raw[tool.name] as number, y: opinion }));
  const logistic_params = fitLogistic(points, tool.lower_better ?? false);
  return tool.type === 'FR' ? { logistic_params } : { logistic_params, blind_to: unseen };
};

const modelsText = (knots: object, models: readonly object[]): string => {
  const line = (value: unknown): string => JSON.stringify(value);
  const curves = Object.entries(knots).map(([tool, curve]) => `    ${line(tool)}: ${line(curve)}`);
  return `{\n  "knots": {\n${curves.join(',\n')}\n  },\n  "models": [\n${models.map((model) => `    ${line(model)}`).join(',\n')}\n  ]\n}\n`;
};

await main();

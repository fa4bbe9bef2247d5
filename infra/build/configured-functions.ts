import { existsSync, readFileSync } from 'node:fs';
import { fromRoot } from './paths.ts';

/** The names or ARNs of the functions that the configuration uses as sources. */
export const configuredFunctions = (
  file = fromRoot(process.env.ASSAY_CONFIG ?? 'assay.config.json'),
): readonly string[] => {
  if (!existsSync(file)) return [];
  const { functions = [] } = JSON.parse(readFileSync(file, 'utf8')) as { functions?: readonly { function: string }[] };
  return [...new Set(functions.map((one) => one.function))];
};

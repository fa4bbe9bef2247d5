import { Fault, messageOf } from '../kernel/errors.ts';
import { deepFreeze } from '../kernel/freeze.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { IQA_PYTORCH_IDENTIFIERS, OTHER_IDENTIFIERS } from './identifiers.ts';
import { type IqaEntry, IqaMetadata } from './metadata-schema.ts';
import { locateKey, locateParseError } from './text-position.ts';

/** A tool of the metadata file, under its IQA-PyTorch identifier. */
export interface IqaTool extends IqaEntry {
  readonly name: string;
}

/** The loaded metadata: tools sorted by name, lookup by any spelling, and warnings. */
export interface IqaCatalogue {
  readonly tools: readonly IqaTool[];
  readonly find: (name: string) => IqaTool | undefined;
  readonly warnings: readonly string[];
}

/** Reads and parses a metadata file; every error names the file, and the line and column if it has one. */
export const loadMetadata = async (
  file: string,
  readText: (file: string) => Promise<string>,
): Promise<IqaCatalogue> => {
  let text: string;
  try {
    text = await readText(file);
  } catch (thrown) {
    throw new Fault(
      'NotFound',
      `the tool metadata ${file} cannot be read: ${messageOf(thrown)}; restore the file or name another`,
      { file },
      { cause: thrown },
    );
  }
  return parseMetadata(text, file);
};

/** Parses the text of a metadata file. */
export const parseMetadata = (text: string, file: string): IqaCatalogue =>
  buildCatalogue(parseEntries(text, file), (given, other) => {
    const { line, column } = locateKey(text, given);
    return new Fault('InvalidInput', `${file} line ${line} column ${column}: ${given} and ${other} share a name`, {
      file,
      line,
      column,
    });
  });

/** Builds the catalogue from valid entries; refuses two that share a name. */
export const buildCatalogue = (
  entries: Readonly<Record<string, IqaEntry>>,
  sharedName = (given: string, other: string) => new Fault('InvalidInput', `${given} and ${other} share a name`),
): IqaCatalogue => {
  const bySpelling = new Map<string, IqaTool>();
  const warnings: string[] = [];
  for (const [given, entry] of Object.entries(entries)) {
    const tool = deepFreeze({ name: canonicalName(given), ...entry });
    for (const spelling of new Set([tool.name, given, ...(tool.aliases ?? [])].map(fold))) {
      const other = bySpelling.get(spelling);
      if (other) throw sharedName(given, other.name);
      bySpelling.set(spelling, tool);
    }
    warnings.push(...findWarnings(tool));
  }
  const tools = [...new Set(bySpelling.values())].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tools, find: (name) => bySpelling.get(fold(name)), warnings };
};

const parseEntries = (text: string, file: string): Readonly<Record<string, IqaEntry>> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const { line, column } = locateParseError(text, messageOf(thrown));
    throw new Fault('InvalidInput', `${file} line ${line} column ${column} is not valid JSON: ${messageOf(thrown)}`, {
      file,
      line,
      column,
    });
  }
  const parsed = IqaMetadata.safeParse(value);
  if (parsed.success) return parsed.data;
  const { line, column } = locateKey(text, ...(parsed.error.issues[0]?.path ?? []).map(String));
  const fault = invalidInput(parsed.error, value, `${file} line ${line} column ${column}`);
  throw new Fault('InvalidInput', fault.message, { ...fault.details, file, line, column });
};

const fold = (name: string): string => name.toLowerCase().replaceAll('+', '-plus');

const IDENTIFIERS = new Map([...IQA_PYTORCH_IDENTIFIERS, ...OTHER_IDENTIFIERS].map((name) => [fold(name), name]));

const canonicalName = (given: string): string => IDENTIFIERS.get(fold(given)) ?? given;

const findWarnings = (tool: IqaTool): readonly string[] => [...nameWarnings(tool), ...calibrationWarnings(tool)];

export const nameWarnings = ({ name }: IqaTool): readonly string[] =>
  IDENTIFIERS.has(fold(name)) ? [] : [`${name} is not an IQA-PyTorch identifier`];

export const calibrationWarnings = ({ name, logistic_params }: IqaTool): readonly string[] =>
  logistic_params ? [] : [`${name} has no logistic_params: scores are normalised by the defaults`];

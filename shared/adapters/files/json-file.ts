import { Fault } from '../../errors.ts';

/** Parses a JSON file's text; an error names the file, the line and the column. */
export const parseJsonFile = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = (cause as Error).message;
    throw new Fault(
      'InvalidInput',
      `${file} is not valid JSON${placeOf(message, text)}: ${message}`,
      { file },
      { cause },
    );
  }
};

const placeOf = (message: string, text: string): string => {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
};

import { Fault } from '../../kernel/errors.ts';
import { positionOfJsonError } from '../../kernel/json-position.ts';

/** Parses a JSON file's text; an error names the file, the line and the column. */
export const parseJsonFile = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { line, column } = positionOfJsonError(text);
    const why = (cause as Error).message;
    throw new Fault(
      'InvalidInput',
      `${file} is not valid JSON at line ${line}, column ${column}: ${why}`,
      { file, line, column },
      { cause },
    );
  }
};

/** Streams and answers as providers send them, made for the tests: one for each rule of reading them. */
export interface Recording {
  readonly rule: string;
  readonly provider: string;
  readonly events: readonly unknown[];
  /** The calls that are ours, by name and arguments; text stands for an error, and says what it must tell. */
  readonly calls: readonly (readonly [name: string, arguments_: object | string])[];
}

export type Json = Readonly<Record<string, unknown>>;

/** The arguments of `npm run deploy` or `npm run destroy`. */
export interface StageArguments {
  readonly stage: string;
  /** Whether to skip the confirmation. */
  readonly yes: boolean;
  /** An assembly that was synthesised before, to be used instead of a new one. */
  readonly app: string | undefined;
  /** The recipient of alarms, or `none`. */
  readonly alarmEmail: string | undefined;
  /** Options that are passed to the CDK. */
  readonly options: readonly string[];
}

/** Wrong usage, with the correct one. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** It is part of the names of stacks, buckets and machines, and bucket names have no capital letters. */
const STAGE_NAME = /^[a-z][a-z0-9]{0,15}$/;

/** Refuses names that AWS would refuse in the middle of a deployment. */
export const checkStageName = (name: string): void => {
  if (STAGE_NAME.test(name)) return;
  throw new UsageError(
    `The stage name "${name}" cannot be used: buckets and machines are named after it. Use 1 to 16 small letters and digits, a letter first, in infra/config.ts.`,
  );
};

/** Parses the arguments of a script for one stage. */
export const parseStageArguments = (
  script: 'deploy' | 'destroy',
  given: readonly string[],
  known: readonly string[],
): StageArguments => {
  const [stage, ...rest] = given;
  if (stage === undefined || stage.startsWith('-'))
    throw new UsageError(`usage: npm run ${script} -- <stage> [--yes] [cdk options], e.g. npm run ${script} -- dev`);
  checkStageName(stage);
  if (!known.includes(stage))
    throw new UsageError(`There is no stage "${stage}" in infra/config.ts: it has ${known.join(', ')}.`);
  const options = [...rest];
  const yes = takeFlag(options, '--yes', '-y');
  return { stage, yes, app: takeValue(options, '--app'), alarmEmail: takeValue(options, '--alarm-email'), options };
};

const takeFlag = (options: string[], ...names: readonly string[]): boolean => {
  const at = options.findIndex((option) => names.includes(option));
  if (at >= 0) options.splice(at, 1);
  return at >= 0;
};

const takeValue = (options: string[], name: string): string | undefined => {
  const at = options.findIndex((option) => option === name || option.startsWith(`${name}=`));
  if (at < 0) return undefined;
  const [option = ''] = options.splice(at, 1);
  const value = option === name ? options.splice(at, 1)[0] : option.slice(name.length + 1);
  if (value === undefined || value === '' || value.startsWith('-')) throw new UsageError(`${name} needs a value.`);
  return value;
};

import type { Iqa } from '../../shared/iqa/iqa.ts';
import { type Cli, UsageError } from './command.ts';

/** The image metrics in this process, for commands on the data directory. */
export const createLocalIqa = async (cli: Cli): Promise<Iqa> => {
  const assay = await cli.local();
  if (assay?.iqa) return assay.iqa;
  throw new UsageError('this command works on this machine’s data directory; leave --url out, or name it with --data');
};

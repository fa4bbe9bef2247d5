import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { Environment } from '../compose/local-environment.ts';

const Profile = z.strictObject({ url: z.url(), key: z.string().min(1) });
export type Profile = Readonly<z.infer<typeof Profile>>;

const Profiles = z.strictObject({ current: z.string().optional(), profiles: z.record(z.string(), Profile) });
type Profiles = Readonly<z.infer<typeof Profiles>>;

/** Servers with a login: their URLs and keys, in a file that only its owner may read. */
export const profilesFile = ({ XDG_CONFIG_HOME: folder }: Pick<Environment, 'XDG_CONFIG_HOME'>): string =>
  join(folder || join(homedir(), '.config'), 'assay', 'profiles.json');

export const readProfiles = async (file: string): Promise<Profiles> => {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new Fault('Unavailable', `the profiles in ${file} cannot be read: ${messageOf(cause)}`, {}, { cause });
  });
  if (text === undefined) return { profiles: {} };
  try {
    return Profiles.parse(JSON.parse(text));
  } catch (cause) {
    throw new Fault('InvalidInput', `${file} is no list of profiles; remove it and log in again`, {}, { cause });
  }
};

export const writeProfiles = async (file: string, profiles: Profiles): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
  // Otherwise an existing file would keep its old mode.
  await chmod(file, 0o600);
};

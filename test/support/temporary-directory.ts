import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new directory that is removed after the test. */
export async function temporaryDirectory(test: { after(clean: () => Promise<void>): void }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

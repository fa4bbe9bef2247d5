import { writeFile } from 'node:fs/promises';
import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import type { Snapshot } from '../../../shared/model/registration.ts';
import { type Command, required } from '../command.ts';
import { readNamed } from '../read-file.ts';

export const exportCommand: Command = {
  usage: 'snapshot export [FILE]',
  summary: 'Writes all that the tenant owns to FILE, or to standard output',
  async run(cli) {
    const snapshot = await (await cli.api()).json<Snapshot>('GET', '/v1/snapshot');
    const [file] = cli.positionals;
    const text = JSON.stringify(snapshot, undefined, 2);
    if (file === undefined) cli.output.line(text);
    else {
      await writeFile(file, `${text}\n`);
      cli.output.result(
        { file, tools: snapshot.tools.length },
        () => `${snapshot.tools.length} tools written to ${file}`,
      );
    }
    return 0;
  },
};

export const importCommand: Command = {
  usage: 'snapshot import FILE',
  summary: 'Makes the tenant’s tools exactly those of FILE',
  async run(cli) {
    const file = required(cli, 0, 'FILE');
    const content = parseJsonFile(file, (await readNamed(file)).toString('utf8'));
    const snapshot = await (await cli.api()).json<Snapshot>('POST', '/v1/snapshot', content);
    cli.output.result(
      { tools: snapshot.tools.length, revision: snapshot.revision },
      () => `${snapshot.tools.length} tools imported`,
    );
    return 0;
  },
};

import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import type { Decision } from '../../../shared/decide/decision.ts';
import { renderDecision } from '../../../shared/decide/render.ts';
import { type Command, required, textOption } from '../command.ts';
import { readNamed } from '../read-file.ts';

export const decide: Command = {
  usage: 'decide "TASK" [--context FILE] [--allowed a,b] [--top K]',
  summary: 'Chooses a tool for a task in five explained steps; exit code 1 when none fits',
  options: { context: { type: 'string' }, allowed: { type: 'string' }, top: { type: 'string' } },
  async run(cli) {
    const file = textOption(cli, 'context');
    const top = textOption(cli, 'top');
    const body = {
      task: required(cli, 0, 'TASK'),
      context: file === undefined ? undefined : parseJsonFile(file, (await readNamed(file)).toString('utf8')),
      allowed: textOption(cli, 'allowed')?.split(','),
      top: top === undefined ? undefined : Number(top),
    };
    const decision = await (await cli.api()).json<Decision>('POST', '/v1/decide', body);
    cli.output.result(decision, () => cli.output.prose(renderDecision(decision)));
    return decision.tool === null ? 1 : 0;
  },
};

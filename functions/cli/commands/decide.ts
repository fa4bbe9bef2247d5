import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import type { Decision } from '../../../shared/decide/decision.ts';
import { renderDecision } from '../../../shared/decide/render.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import { type Command, option, required, textOption, wholeNumber } from '../command.ts';
import { isFile } from '../picture-files.ts';
import { readNamed } from '../read-file.ts';

export const decide: Command = {
  usage: 'decide "TASK" [--context FILE] [--allowed a,b] [--top K]',
  summary: 'Chooses a tool for a task in five explained steps; exit code 1 when none fits',
  options: {
    context: option('FILE', 'what is known already, as a JSON object'),
    allowed: option('LIST', 'only these tools'),
    top: option('K', 'how many alternatives are shown'),
  },
  async run(cli) {
    const file = textOption(cli, 'context');
    const top = wholeNumber(cli, 'top');
    const body = {
      task: required(cli, 0, 'TASK'),
      context: file === undefined ? undefined : parseJsonFile(file, (await readNamed(file)).toString('utf8')),
      allowed: textOption(cli, 'allowed')?.split(','),
      top,
    };
    const decision = await (await cli.api()).json<Decision>('POST', '/v1/decide', body);
    const hint = await commandWithFiles(decision);
    cli.output.result(decision, () => cli.output.prose(renderDecision(decision)) + hint);
    return decision.tool === null ? 1 : 0;
  },
};

/** A picture argument that is not a key may be a local file, which the printed command accepts. */
const commandWithFiles = async ({ tool, arguments: args }: Decision): Promise<string> => {
  const pairs: string[] = [];
  let hasFile = false;
  for (const [name, value] of Object.entries(args)) {
    const key = isObject(value) && typeof value.key === 'string' ? value.key : undefined;
    hasFile ||= key !== undefined && (await isFile(key));
    pairs.push(shellWord(`${name}=${key ?? (typeof value === 'string' ? value : JSON.stringify(value))}`));
  }
  return hasFile ? `\nwith the file here: assay invoke ${tool} ${pairs.join(' ')}` : '';
};

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

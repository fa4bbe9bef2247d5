import { wrongArguments } from '../../metadata/fit/acceptable.ts';
import { type Everyday, loadEveryday, NOW } from '../../metadata/fit/everyday-data.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { Decision } from '../../shared/decide/decision.ts';

/**
 * Decides everyday requests for the shipped tools and for twenty made-up catalogues:
 *   npm run bench -- decide-everyday [--misses] [--kept]
 * `--misses` lists the wrong decisions of the open half; `--kept` evaluates the held-out half.
 */
export const bench = async (args: readonly string[]): Promise<void> => {
  const { requests, catalogues } = await loadEveryday();
  const judged: Judged[] = [];
  for (const request of requests.filter(({ kept }) => kept === args.includes('--kept'))) {
    const deps = catalogues.get(request.catalogue);
    if (deps === undefined) throw new Error(`there is no catalogue ${request.catalogue}`);
    judged.push(judge(request, await decide({ task: request.query, now: NOW }, deps)));
  }
  if (args.includes('--misses') && !args.includes('--kept')) for (const each of judged) printMiss(each);
  for (const [label, part] of [
    ['shipped tools', judged.filter(({ request }) => request.catalogue === 'shipped')],
    ['made-up catalogues', judged.filter(({ request }) => request.catalogue !== 'shipped')],
    ['Chinese', judged.filter(({ request }) => /\p{Script=Han}/u.test(request.query))],
    ['all', judged],
  ] as const)
    printPart(label, part);
};

interface Judged {
  readonly request: Everyday;
  readonly decision: Decision;
  readonly tool: boolean;
  readonly exact: boolean;
}

const judge = (request: Everyday, decision: Decision): Judged => {
  if (request.tools.length === 0)
    return { request, decision, tool: decision.tool === null, exact: decision.tool === null };
  const tool = request.tools.includes(decision.tool ?? '');
  const exact = tool && wrongArguments(decision.arguments, request.acceptable).length === 0;
  return { request, decision, tool, exact };
};

const printPart = (label: string, part: readonly Judged[]): void => {
  const ready = part.filter(({ decision }) => decision.ready);
  const share = (list: readonly Judged[], holds: (each: Judged) => boolean): string =>
    `${((100 * list.filter(holds).length) / list.length).toFixed(1)} %`;
  console.log(
    `${label.padEnd(20)} n ${part.length}  tool ${share(part, ({ tool }) => tool)}  with arguments ${share(part, ({ exact }) => exact)}  ready ${share(part, ({ decision }) => decision.ready)}, of which right ${share(ready, ({ exact }) => exact)}`,
  );
};

const printMiss = ({ request, decision, tool, exact }: Judged): void => {
  if (exact && (decision.ready || request.tools.length === 0)) return;
  const kind = exact ? 'unsure' : tool ? 'arguments' : 'tool';
  console.log(
    `${kind}${decision.ready && !exact ? ' READY' : ''} [${request.catalogue}] ${request.query}\n    ${decision.tool} ${JSON.stringify(decision.arguments)} ${decision.confidence}; wanted ${request.tools.slice(0, 3).join('|') || 'none'} ${JSON.stringify(request.acceptable)}`,
  );
};

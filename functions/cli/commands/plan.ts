import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import type { Plan, PlanTree } from '../../../shared/model/plan.ts';
import type { Predicted, RunView } from '../../../shared/model/run.ts';
import { interpret } from '../../../shared/plan/interpret.ts';
import { toDot } from '../../../shared/plan/to-dot.ts';
import { type Cli, type Command, flag, option, textOption, UsageError } from '../command.ts';
import { followRun } from '../follow-run.ts';
import { formatTable } from '../output.ts';
import { readNamed } from '../read-file.ts';

type MadePlan = Plan & { readonly tree: PlanTree; readonly predicted: Predicted; readonly asl: unknown };

/** A task with open questions, which is not a plan yet. */
interface Draft {
  readonly nodes: readonly { readonly id: string; readonly tool: string; readonly arguments: unknown }[];
  readonly missing: readonly { readonly node: string; readonly parameter: string; readonly question: string }[];
}

export const plan: Command = {
  usage: 'plan "TASK" | --file plan.json [--asl] [--dot] [--svg FILE]',
  summary: 'Makes a plan: its order, its state machine (--asl), or a picture of it (--dot, --svg)',
  options: {
    file: option('FILE', 'the nodes of the plan, as JSON'),
    asl: flag('prints the state machine for AWS Step Functions'),
    dot: flag('prints the graph for Graphviz'),
    svg: option('FILE', 'draws the graph'),
  },
  async run(cli) {
    const api = await cli.api();
    const made = await api.json<MadePlan | Draft>('POST', '/v1/plans', await planInput(cli));
    if (!('plan_id' in made)) return showDraft(cli, made);
    const svg = textOption(cli, 'svg');
    if (svg !== undefined) await writeFile(svg, await (await api.fetch(`/v1/plans/${made.plan_id}/picture`)).text());
    if (cli.values.asl) cli.output.line(JSON.stringify(made.asl, undefined, 2));
    else if (cli.values.dot) cli.output.line(toDot(made));
    else cli.output.result(made, () => planText(made));
    return 0;
  },
};

export const run: Command = {
  usage: 'run --file plan.json [--input JSON] [--yes] | --asl machine.json [--input JSON]',
  summary: 'Runs a plan and shows its nodes as they change; a terminal is asked where one needs consent',
  options: {
    file: option('FILE', 'the nodes of the plan, as JSON'),
    asl: option('FILE', 'runs a state machine whose tasks are tools'),
    input: option('JSON', 'the value that $input refers to'),
    yes: flag('consents where a node asks'),
  },
  async run(cli) {
    const input =
      textOption(cli, 'input') === undefined ? {} : parseJsonFile('--input', textOption(cli, 'input') ?? '');
    const machine = textOption(cli, 'asl');
    if (machine !== undefined) return runMachine(cli, machine, input);
    const api = await cli.api();
    const made = await api.json<MadePlan>('POST', '/v1/plans', await planInput(cli));
    const started = await api.json<RunView>('POST', `/v1/plans/${made.plan_id}/runs`, { input });
    return followRun(cli, api, started);
  },
};

const planInput = async (cli: Cli): Promise<unknown> => {
  const file = textOption(cli, 'file');
  const [task] = cli.positionals;
  if ((file === undefined) === (task === undefined)) throw new UsageError('name a task, or a plan with --file');
  return file === undefined ? { task } : parseJsonFile(file, await readText(file));
};

const showDraft = (cli: Cli, draft: Draft): number => {
  const nodes = draft.nodes.map(({ id, arguments: args }) => `${id} ${JSON.stringify(args)}`);
  const open = draft.missing.map(({ node, question }) => `missing for ${node}: ${question}`);
  cli.output.result(draft, () => [...nodes, ...open, 'not a plan yet: say what is missing in the task'].join('\n'));
  return 1;
};

const planText = ({ plan_id, nodes, predicted }: MadePlan): string =>
  `${formatTable(nodes, [
    { title: 'NODE', value: ({ id }) => id },
    { title: 'TOOL', value: ({ tool, version }) => `${tool}@${version}` },
    { title: 'AFTER', value: ({ after }) => after.join(', ') },
    { title: 'ON FAILURE', value: ({ on_failure }) => on_failure.policy },
  ])}\nplan ${plan_id}\nexpected ${Math.round(predicted.makespan_ms)} ms, ${predicted.ratio.toFixed(2)}x the critical path`;

/** Runs a state machine definition directly: a Task's Resource is a tool's name, its Arguments the tool's. */
const runMachine = async (cli: Cli, file: string, input: unknown): Promise<number> => {
  const definition = parseJsonFile(file, await readText(file));
  const api = await cli.api();
  const outcome = await interpret(definition, input, {
    now: Date.now,
    random: Math.random,
    sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
    task: async (call) => {
      const tool = call.resource.split(':').at(-1) ?? '';
      const made = await api.json<{ status: string; output: unknown; error?: { type: string; message: string } }>(
        'POST',
        `/v1/tools/${encodeURIComponent(tool)}/invoke`,
        { arguments: call.arguments },
      );
      if (made.status === 'ok') return made.output;
      throw Object.assign(new Error(made.error?.message), { name: made.error?.type ?? 'States.TaskFailed' });
    },
  });
  cli.output.result(outcome, () => JSON.stringify(outcome, undefined, 2));
  return outcome.status === 'SUCCEEDED' ? 0 : 1;
};

const readText = async (file: string): Promise<string> => (await readNamed(file)).toString('utf8');

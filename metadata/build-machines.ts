import { writeFile } from 'node:fs/promises';
import { ToolSpec } from '../shared/model/tool.ts';
import type { Machine, StateOf } from '../shared/plan/asl.ts';
import { buildPlan, type LookUpTool } from '../shared/plan/build.ts';
import { checkMachine } from '../shared/plan/check-machine.ts';
import { compilePlan } from '../shared/plan/compile.ts';
import { toAsl } from '../shared/plan/to-asl.ts';

/**
 * The state machines that are deployed with the product rather than when a plan first runs. They are plans, compiled
 * like any other, but their steps are AWS services instead of tools. The stack fills in each `${}`.
 */
export const staticMachines = (): Readonly<Record<'upload' | 'batch', Machine>> => ({
  upload: machineOf({ ...scoreUpload, announce: announce('upload-finished') }),
  batch: machineOf({ ...scoreBatch, announce: announce('batch-finished') }),
});

const filledIn = (name: string): string => `$\{${name}}`;

/** The task of a step: the service, its arguments and its time limit. */
type Work = Required<Pick<StateOf<'Task'>, 'Resource' | 'Arguments'>> & { readonly TimeoutSeconds: number };

/** Scores the picture of a storage event again, as the bucket's rule did the first time. */
const scoreUpload = {
  score: {
    Resource: 'arn:aws:states:::lambda:invoke',
    TimeoutSeconds: 300,
    Arguments: { FunctionName: filledIn('UploadFunction'), Payload: '{% $states.context.Execution.Input.event %}' },
  },
} as const satisfies Record<string, Work>;

/** Scores all pictures of a manifest in a batch job with a GPU, and waits for it to end. */
const scoreBatch = {
  score: {
    Resource: 'arn:aws:states:::batch:submitJob.sync',
    TimeoutSeconds: 86_400,
    Arguments: {
      JobName: 'assay-batch',
      JobQueue: filledIn('JobQueue'),
      JobDefinition: filledIn('JobDefinition'),
      ContainerOverrides: {
        Environment: [{ Name: 'ASSAY_MANIFEST', Value: '{% $states.context.Execution.Input.manifest %}' }],
      },
    },
  },
} as const satisfies Record<string, Work>;

const announce = (type: string): Work => ({
  Resource: 'arn:aws:states:::events:putEvents',
  TimeoutSeconds: 60,
  Arguments: {
    Entries: [
      {
        EventBusName: filledIn('EventBus'),
        Source: 'assay',
        DetailType: type,
        Detail: { status: '{% $r0_1.s %}', execution: '{% $states.context.Execution.Name %}' },
      },
    ],
  },
});

/** The end is announced even if scoring fails. */
const plan = {
  nodes: [
    { id: 'score', tool: 'score', on_failure: { policy: 'retry', attempts: 3, then: 'skip', downstream: 'run' } },
    { id: 'announce', tool: 'announce', after: ['score'], on_failure: { policy: 'retry', attempts: 3 } },
  ],
} as const;

const anyTool: LookUpTool = (name) => ({ spec: ToolSpec.parse({ name, parameters: { type: 'object' } }) });

const machineOf = (work: Readonly<Record<'score' | 'announce', Work>>): Machine => {
  const built = buildPlan(plan, anyTool).plan;
  const { definition, order } = toAsl(built, compilePlan(built).tree);
  const States = Object.fromEntries(
    Object.entries(definition.States).map(([name, state]) => {
      const node = order[Number(/^n(\d+)$/.exec(name)?.[1]) - 1];
      if (state.Type !== 'Task' || node === undefined) return [name, state];
      const assigned = Object.keys(state.Assign ?? {}).map((variable) => [variable, { s: 'ok' }]);
      return [name, { ...state, ...work[node as 'score' | 'announce'], Assign: Object.fromEntries(assigned) }];
    }),
  );
  const machine: Machine = { ...definition, States };
  checkMachine(machine);
  return machine;
};

export const machinesText = (): string => `${JSON.stringify(staticMachines(), null, 2)}\n`;

if (import.meta.main) await writeFile(new URL('./machines.json', import.meta.url), machinesText());

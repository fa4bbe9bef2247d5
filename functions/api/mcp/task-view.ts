import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequests,
  inputRequired,
} from '@modelcontextprotocol/server';
import type { Actor } from '../../../shared/model/key.ts';
import type { NodeView, RunView } from '../../../shared/model/run.ts';
import type { DeferredCall } from '../../../shared/plan/deferred-call.ts';
import { canAsk, mayConsent } from './consent.ts';

/** A run as a task of the extension `io.modelcontextprotocol/tasks`, without the fields that depend on its status. */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled';
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** A task with the fields of its status: the result of the call, or its questions. */
export type TaskView = Task & { readonly result?: CallToolResult; readonly inputRequests?: InputRequests };

/** The answer of a call that continues as a task. */
export type CreatedTask = Task & { readonly resultType: 'task' };

const SHORTEST_POLL_MS = 250;
const LONGEST_POLL_MS = 5000;

/** The state of a run as a task, for a client that can or cannot ask a person. */
export const toTask = (run: RunView, call: DeferredCall | undefined, capabilities?: ClientCapabilities): Task => ({
  taskId: run.run_id,
  status: taskStatus(run, canAsk(capabilities)),
  statusMessage: describeStatus(run),
  createdAt: run.started_at,
  lastUpdatedAt: lastChangeOf(run),
  // A run is kept after its end; until then the tool's timeout may end it.
  ttlMs: call && run.status === 'running' ? call.deadline - Date.parse(run.started_at) : null,
  pollIntervalMs: Math.round(Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, run.predicted.makespan_ms / 4))),
});

/** The nodes that wait for a person, by the key of their question. Each node asks once in a run. */
export const waitingQuestions = ({ status, nodes }: RunView): ReadonlyMap<string, NodeView> =>
  new Map(status === 'running' ? nodes.filter(isWaiting).map((node) => [`consent:${node.id}`, node] as const) : []);

/** The questions that the client shall ask its user. */
export const buildInputRequests = (run: RunView, actor: Actor): InputRequests =>
  Object.fromEntries(
    [...waitingQuestions(run)].map(([key, node]) => [
      key,
      inputRequired.elicit({
        mode: 'form',
        message: writeQuestion(run, node, actor),
        requestedSchema: { type: 'object', properties: {} },
      }),
    ]),
  );

const writeQuestion = ({ run_id: run }: RunView, { id, tool, approval }: NodeView, actor: Actor): string => {
  const until = approval === undefined ? '' : ` Without an answer by ${approval.expires_at} it is denied.`;
  const question = `Run ${tool} as the node ${id} of the run ${run}?${until}`;
  if (mayConsent(actor)) return question;
  return `${question} This key may not consent: have someone with an approving key send {"approve": true} to POST /v1/runs/${run}/nodes/${id}/confirm.`;
};

// If the client cannot ask, the status stays `working`, and the message names who must answer.
const taskStatus = (run: RunView, isAsked: boolean): Task['status'] => {
  if (run.status === 'cancelled') return 'cancelled';
  // A tool's failure is a result: the protocol reserves `failed` for its own errors.
  if (run.status !== 'running') return 'completed';
  return isAsked && waitingQuestions(run).size > 0 ? 'input_required' : 'working';
};

const describeStatus = (run: RunView): string => {
  const done = `${run.nodes.filter(isSettled).length} of ${run.nodes.length} nodes done`;
  const waiting = namesOf(run.nodes.filter(isWaiting));
  if (run.status === 'running' && waiting !== '')
    return `${done}; waiting for a person’s consent to ${waiting} (POST /v1/runs/${run.run_id}/nodes/{node}/confirm)`;
  if (run.status === 'running') {
    const running = namesOf(run.nodes.filter(({ status }) => status === 'running'));
    return running === '' ? done : `${done}; running ${running}`;
  }
  return run.error ? `${done}; ${run.error.type}: ${run.error.message}` : done;
};

const namesOf = (nodes: readonly NodeView[]): string => nodes.map(({ id, tool }) => `${id} (${tool})`).join(', ');

const isWaiting = ({ status }: NodeView): boolean => status === 'waiting_approval';

const isSettled = ({ status }: NodeView): boolean => ['ok', 'skipped', 'denied', 'failed'].includes(status);

/** The latest of all times in the run; ISO times sort as text. */
const lastChangeOf = ({ started_at, ended_at, cancel_requested_at, nodes }: RunView): string =>
  [
    started_at,
    ended_at,
    cancel_requested_at,
    ...nodes.flatMap((node) => [node.started_at, node.ended_at, node.approval?.asked_at, node.approval?.decided_at]),
  ].reduce<string>((latest, time) => (time !== undefined && time > latest ? time : latest), started_at);

import type { NodeStatus, RunView } from '../answers.ts';
import { Badge } from '../ui/parts.tsx';

export const STATUS_WORDS: Readonly<Record<NodeStatus, string>> = {
  pending: 'waiting',
  running: 'running',
  waiting_approval: 'asks for approval',
  ok: 'done',
  skipped: 'skipped',
  denied: 'denied',
  failed: 'failed',
  aborted: 'stopped',
};

const TONES: Readonly<Partial<Record<NodeStatus, string>>> = {
  running: 'accent',
  waiting_approval: 'warn',
  ok: 'good',
  denied: 'bad',
  failed: 'bad',
};

export const StatusBadge = ({ status }: { readonly status: NodeStatus }) => (
  <Badge tone={TONES[status] ?? 'neutral'}>{STATUS_WORDS[status]}</Badge>
);

/** The tone and label of a run's status. */
export const RUN_WORDS: Readonly<Record<RunView['status'], readonly [string, string]>> = {
  running: ['accent', 'running'],
  ok: ['good', 'succeeded'],
  failed: ['bad', 'failed'],
  cancelled: ['warn', 'cancelled'],
};

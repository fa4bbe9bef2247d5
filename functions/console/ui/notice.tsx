import { type ApiFault, adviceFor } from '../fault.ts';
import { Button } from './parts.tsx';

interface Props {
  readonly fault: ApiFault | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** Temporary errors: only for these a retry is offered. */
const PASSING = new Set([
  'Offline',
  'Unavailable',
  'RateLimited',
  'ToolExecutionError',
  'Conflict',
  'Internal',
  'Unexpected',
]);

/** An error message, with a retry button for temporary errors. */
export const Notice = ({ fault, onRetry }: Props) => {
  if (!fault) return null;
  const { title, cure } = adviceFor(fault);
  return (
    <div class="notice" role="alert">
      <p class="notice-title">{title}</p>
      <p>{sentence(fault.message)}</p>
      {cure !== undefined && <p class="muted">{cure}</p>}
      <div class="row">
        {onRetry && PASSING.has(fault.code) && <Button onClick={onRetry}>Try again</Button>}
        {fault.requestId !== undefined && <span class="tiny muted">request {fault.requestId}</span>}
      </div>
    </div>
  );
};

/** Capitalises a message, unless it begins with the name of a file or tool. */
const sentence = (text: string): string => {
  const begun = /^[a-z]+[ ,:]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
};

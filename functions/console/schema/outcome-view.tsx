import type { JsonObject, Outcome } from '../answers.ts';
import { showJson, showMoney, showMs } from '../format.ts';
import { Badge, Code, CopyButton } from '../ui/parts.tsx';

/** The output of a call; a picture is shown as a picture. */
export const OutcomeView = ({ outcome }: { readonly outcome: Outcome }) => (
  <section class="stack" aria-label="Outcome" aria-live="polite">
    <div class="row between">
      <div class="row">
        {outcome.status === 'ok' ? <Badge tone="good">Succeeded</Badge> : <Badge tone="bad">Failed</Badge>}
        <span class="small muted">
          {showMs(outcome.duration_ms)}, charged {showMoney(outcome.charged_micros)}
          {outcome.cached ? ', from the cache' : ''}
        </span>
      </div>
      {outcome.status === 'ok' && <CopyButton text={JSON.stringify(outcome.output, null, 2)} />}
    </div>
    {outcome.error ? (
      <div class="notice" role="alert">
        <p class="notice-title">The tool failed: {outcome.error.type}</p>
        <p>{outcome.error.message}</p>
        <p>Nothing was charged. Change the arguments and run it again.</p>
      </div>
    ) : (
      <>
        <Picture output={outcome.output} />
        <Code text={showJson(outcome.output)} label="Output" />
      </>
    )}
  </section>
);

const Picture = ({ output }: { readonly output: unknown }) => {
  const { base64, format } = (output ?? {}) as JsonObject;
  if (typeof base64 !== 'string' || typeof format !== 'string') return null;
  const address = `data:image/${format};base64,${base64}`;
  return (
    <figure class="stack">
      <img class="outcome-picture" src={address} alt="The result" />
      <a href={address} download={`result.${format}`}>
        Download
      </a>
    </figure>
  );
};

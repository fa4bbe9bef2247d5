import { useRef } from 'hono/jsx/dom';
import type { KeyView } from '../answers.ts';
import { Button, CopyButton } from '../ui/parts.tsx';
import { useEffect } from '../use-effect.ts';

/** A new key with its secret, which the API returns once. */
export type MadeKey = KeyView & { readonly key: string };

interface SecretProps {
  readonly made: MadeKey;
  onKept(): void;
}

/** Shows a new key's secret, which is stored nowhere, until the user confirms that it was copied. */
export const Secret = ({ made, onKept }: SecretProps) => {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.focus();
  }, []);
  return (
    <section ref={box} class="card secret" aria-label="The new key" tabindex={-1}>
      <h2>{made.name ?? 'The new key'} is ready</h2>
      <p>This is the only time its text is shown. Copy it now.</p>
      <div class="secret-text">
        <code>{made.key}</code>
        <CopyButton text={made.key} />
      </div>
      <div class="row">
        <Button onClick={onKept}>I have kept it</Button>
      </div>
    </section>
  );
};

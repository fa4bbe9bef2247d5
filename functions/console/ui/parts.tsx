import type { Child } from 'hono/jsx';
import { useState } from '../use-state.ts';

interface ButtonProps {
  readonly children?: Child;
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly label?: string;
  readonly onClick?: () => void;
}

/** A busy button keeps its width and announces its state to screen readers. */
export const Button = ({
  children,
  kind = 'plain',
  isBusy = false,
  type = 'button',
  disabled,
  label,
  onClick,
}: ButtonProps) => (
  <button
    type={type}
    class={`button ${kind}`}
    disabled={disabled || isBusy}
    aria-busy={isBusy ? 'true' : 'false'}
    aria-label={label}
    onClick={() => onClick?.()}
  >
    {isBusy && <span class="spinner" aria-hidden="true" />}
    {children}
  </button>
);

export const Badge = ({ tone = 'neutral', children }: { readonly tone?: string; readonly children?: Child }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** A placeholder while something loads. */
export const Skeleton = ({ rows = 3 }: { readonly rows?: number }) => (
  <div class="skeleton" role="status">
    <span class="sr-only">Loading</span>
    {Array.from({ length: rows }, (_, index) => (
      <span key={index} class="skeleton-row" aria-hidden="true" />
    ))}
  </div>
);

interface EmptyProps {
  readonly title: string;
  readonly children?: Child;
}

export const Empty = ({ title, children }: EmptyProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    <p>{children}</p>
  </div>
);

export const CopyButton = ({ text }: { readonly text: string }) => {
  const [said, setSaid] = useState('Copy');
  const copy = async (): Promise<void> => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid(isCopied ? 'Copied' : 'Select and copy by hand');
    setTimeout(() => setSaid('Copy'), 2000);
  };
  return (
    <button type="button" class="button quiet small" aria-live="polite" onClick={() => void copy()}>
      {said}
    </button>
  );
};

/** Scrollable text must be reachable by keyboard. */
export const Code = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <section class="code" tabindex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
);

interface ScrollProps {
  readonly label: string;
  readonly children?: Child;
}

/** Content wider than the page scrolls in its own box, also by keyboard. */
export const Scroll = ({ label, children }: ScrollProps) => (
  <section class="scroll" tabindex={0} aria-label={label}>
    {children}
  </section>
);

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children?: Child;
}

export const Field = ({ label, hint, children }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
  <label class="field">
    <span class="field-label">{label}</span>
    {children}
    {hint !== undefined && <span class="field-hint">{hint}</span>}
  </label>
);

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly chosen: T;
  onChoose(value: T): void;
}

/** Buttons of which one is pressed; each is its own tab stop. */
export const Tabs = <T extends string>({ label, choices, chosen, onChoose }: TabsProps<T>) => {
  return (
    <fieldset class="tabs">
      <legend class="sr-only">{label}</legend>
      {choices.map(({ value, label: text }) => (
        <button
          key={value}
          type="button"
          class="tab"
          aria-pressed={value === chosen ? 'true' : 'false'}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
};

interface ChipsProps<T extends string> {
  readonly choices: readonly (Choice<T> & { readonly title?: string | undefined; readonly isDisabled?: boolean })[];
  readonly chosen: readonly T[];
  onChoose(values: readonly T[]): void;
}

/** Checkboxes, of which any number may be ticked. */
export const Chips = <T extends string>({ choices, chosen, onChoose }: ChipsProps<T>) => {
  const toggle = (value: T): void =>
    onChoose(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  return (
    <div class="chips">
      {choices.map(({ value, label, title, isDisabled }) => (
        <label key={value} class="chip" title={title}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={isDisabled}
            onChange={() => toggle(value)}
          />
          {label}
        </label>
      ))}
    </div>
  );
};

export const Meter = ({ share, label }: { readonly share: number; readonly label: string }) => (
  <span class="meter" role="img" aria-label={label}>
    <span class="meter-fill" style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }} />
  </span>
);

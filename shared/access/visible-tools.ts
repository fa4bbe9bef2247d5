import { Fault } from '../kernel/errors.ts';

/** The tools a key sees: all of its tenant, or those it is confined to. */
export interface VisibleTools {
  has(name: string): boolean;
  /** The names the key is confined to, whether or not such tools exist; absent when it is not confined. */
  readonly only?: ReadonlySet<string>;
}

/** Anything that may be confined to some tools, such as an `Actor`. */
export interface Confined {
  readonly tools?: ReadonlySet<string> | undefined;
}

const everything: VisibleTools = { has: () => true };

/** What a key sees. Any other tool reads as if it did not exist. */
export const visibleTools = ({ tools }: Confined): VisibleTools =>
  tools === undefined ? everything : { has: (name) => tools.has(name), only: tools };

/** Refuses to change a tool that the key does not see. */
export const requireVisible = (actor: Confined, name: string): void => {
  const { only } = visibleTools(actor);
  if (only === undefined || only.has(name)) return;
  const shown = [...only].slice(0, 10).join(', ');
  throw new Fault(
    'Forbidden',
    `this key is confined to ${only.size === 0 ? 'no tools' : shown}; it may not change ${name}`,
    { name, tools: [...only] },
  );
};

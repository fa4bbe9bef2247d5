/** Why the page asks for a key: none was given yet, or the server does not take the one it had. */
export interface Asked {
  readonly why?: string;
}

/** The key of this browser tab. Calls wait for one, and wait again when theirs is refused. */
export interface Keyring {
  current(): string | undefined;
  /** Resolves once there is a key. */
  ready(): Promise<string>;
  accept(key: string): void;
  /** Drops the key if it is still the one that was refused. */
  refuse(key: string, why: string): void;
  forget(): void;
  /** The tenant that an operator's key acts for; its own when absent. */
  tenant(): string | undefined;
  actFor(tenant: string | undefined): void;
  asked(): Asked | undefined;
  onChange(listener: () => void): () => void;
}

const STORED = 'assay-key';
const STORED_TENANT = 'assay-tenant';

/** Keeps the key in the session's storage: it ends with the tab. */
export const createKeyring = (storage: Storage): Keyring => {
  let key = storage.getItem(STORED) ?? undefined;
  let asked: Asked | undefined = key === undefined ? {} : undefined;
  let waiting: ((key: string) => void)[] = [];
  const listeners = new Set<() => void>();
  const change = (next: string | undefined, question: Asked | undefined): void => {
    key = next;
    asked = question;
    if (next === undefined) storage.removeItem(STORED);
    else storage.setItem(STORED, next);
    storage.removeItem(STORED_TENANT);
    for (const listener of listeners) listener();
  };
  return {
    current: () => key,
    ready: () => (key === undefined ? new Promise((done) => waiting.push(done)) : Promise.resolve(key)),
    accept(given) {
      change(given, undefined);
      const released = waiting;
      waiting = [];
      for (const done of released) done(given);
    },
    refuse(refused, why) {
      if (refused === key) change(undefined, { why });
    },
    forget: () => change(undefined, {}),
    tenant: () => storage.getItem(STORED_TENANT) ?? undefined,
    actFor(tenant) {
      if (tenant === undefined) storage.removeItem(STORED_TENANT);
      else storage.setItem(STORED_TENANT, tenant);
    },
    asked: () => asked,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** Takes a key from the address, `#key=...`, and removes it from there and from the history. */
export const takeKeyFromAddress = (keyring: Keyring): void => {
  takeKey(keyring, '#/score');
  // Pasted into an open page: what it shows belongs to the key before, so it starts anew where it was.
  addEventListener('hashchange', ({ oldURL }) => {
    if (takeKey(keyring, new URL(oldURL).hash || '#/score')) location.reload();
  });
};

const takeKey = (keyring: Keyring, place: string): boolean => {
  const found = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (found === undefined) return false;
  keyring.accept(decodeURIComponent(found));
  history.replaceState(null, '', place);
  return true;
};

/** Why the page asks for a key: there is none yet, or the server refused it. */
export interface Asked {
  readonly why?: string;
}

/** The API key of this browser tab. Requests wait until there is one, and wait again when it is refused. */
export interface Keyring {
  current(): string | undefined;
  /** Resolves when there is a key. */
  ready(): Promise<string>;
  accept(key: string): void;
  /** Drops a refused key, unless it was already replaced. */
  refuse(key: string, why: string): void;
  forget(): void;
  /** The tenant that an operator acts for; undefined for its own. */
  tenant(): string | undefined;
  actFor(tenant: string | undefined): void;
  asked(): Asked | undefined;
  onChange(listener: () => void): () => void;
}

const STORED = 'assay-key';
const STORED_TENANT = 'assay-tenant';

/** Stores the key in the session's storage, which ends with the tab. */
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

/** Reads a key from the URL fragment, `#key=...`, and removes it from the address and the history. */
export const takeKeyFromAddress = (keyring: Keyring): void => {
  takeKey(keyring, '#/score');
  // The link was pasted into an open page, which shows data of another key, so it is reloaded at its place.
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

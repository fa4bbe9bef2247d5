import { LRUCache } from 'lru-cache';
import { sha256 } from '../kernel/canonical-json.ts';
import { sourceAccountKey, sourceAccountPrefix, sourceSecretKey, sourceSecretsPk } from '../kernel/item-keys.ts';
import type { Key, Table } from '../kernel/ports.ts';
import { type DataKeys, openSecret, SealedSecret, type SecretContext, sealSecret } from '../kernel/secret-box.ts';
import { put, read, stored } from '../kernel/stored.ts';
import { AccountTokens, RegisteredClient } from '../model/account.ts';
import { Credentials } from '../model/credentials.ts';

/** An encrypted secret. */
export const SecretItem = stored<SealedSecret>({
  what: 'secret',
  schema: SealedSecret,
  cure: 'give the secret again',
});

/** The source that a secret belongs to. It is bound to the address and cannot be decrypted for another one. */
export interface SecretOwner {
  readonly tenant: string;
  readonly source: string;
  readonly url: string;
}

/** The credentials of sources. They are only ever read to be sent to the address they were given for. */
export interface SourceSecrets {
  keep(owner: SecretOwner, credentials: Credentials): Promise<void>;
  /** The credentials to send; undefined when the source has none. */
  find(owner: SecretOwner): Promise<Credentials | undefined>;
  /** Deletes the credentials, and the accounts of all callers. */
  drop(owner: Pick<SecretOwner, 'tenant' | 'source'>): Promise<void>;
  readonly accounts: AccountSecrets;
  /** This server's registration as a client at the source's authorization server. */
  readonly registered: {
    keep(owner: SecretOwner, client: RegisteredClient): Promise<void>;
    find(owner: SecretOwner): Promise<RegisteredClient | undefined>;
  };
  /** Encrypts a text that is stored elsewhere, for one purpose. */
  seal(owner: SecretOwner, purpose: string, text: string): Promise<SealedSecret>;
  open(owner: SecretOwner, purpose: string, sealed: SealedSecret): Promise<string>;
}

/** The tokens of one caller at a source. */
export interface AccountSecrets {
  keep(owner: SecretOwner, keyId: string, tokens: AccountTokens): Promise<void>;
  find(owner: SecretOwner, keyId: string): Promise<AccountTokens | undefined>;
  drop(owner: Pick<SecretOwner, 'tenant' | 'source'>, keyId: string): Promise<void>;
}

const OPENED = 500;
const OPENED_MS = 60_000;

export const createSourceSecrets = (table: Table, keys: DataKeys): SourceSecrets => {
  const box = createSecretBox(table, keys);
  const keyOf = ({ tenant, source }: Pick<SecretOwner, 'tenant' | 'source'>): Key => sourceSecretKey(tenant, source);
  return {
    keep: (owner, credentials) => box.keep(keyOf(owner), contextOf(owner), JSON.stringify(credentials)),
    async find(owner) {
      const text = await box.find(keyOf(owner), contextOf(owner));
      return text === undefined ? undefined : Credentials.parse(JSON.parse(text));
    },
    async drop(owner) {
      await box.drop(keyOf(owner));
      const { items } = await table.query(sourceSecretsPk(owner.tenant), { prefix: sourceAccountPrefix(owner.source) });
      if (items.length > 0) await table.write(items.map(({ key }) => ({ remove: key })));
    },
    accounts: {
      keep: (owner, keyId, tokens) =>
        box.keep(accountKey(owner, keyId), { ...contextOf(owner), key: keyId }, JSON.stringify(tokens)),
      async find(owner, keyId) {
        const text = await box.find(accountKey(owner, keyId), { ...contextOf(owner), key: keyId });
        return text === undefined ? undefined : AccountTokens.parse(JSON.parse(text));
      },
      drop: (owner, keyId) => box.drop(accountKey(owner, keyId)),
    },
    registered: {
      keep: (owner, client) =>
        box.keep(accountKey(owner, REGISTERED), { ...contextOf(owner), key: REGISTERED }, JSON.stringify(client)),
      async find(owner) {
        const text = await box.find(accountKey(owner, REGISTERED), { ...contextOf(owner), key: REGISTERED });
        return text === undefined ? undefined : RegisteredClient.parse(JSON.parse(text));
      },
    },
    seal: (owner, purpose, text) => sealSecret(keys, { ...contextOf(owner), purpose }, text),
    open: (owner, purpose, sealed) => openSecret(keys, { ...contextOf(owner), purpose }, sealed),
  };
};

/** Takes the place of a key's id; no id contains a space. */
const REGISTERED = 'registered client';

const accountKey = ({ tenant, source }: Pick<SecretOwner, 'tenant' | 'source'>, keyId: string): Key =>
  sourceAccountKey(tenant, source, keyId);

// KMS logs the encryption context, so it contains no address, which may be private.
const contextOf = ({ tenant, source, url }: SecretOwner): SecretContext => ({ tenant, source, url: sha256(url) });

/** Encrypted texts in the table. */
interface SecretBox {
  keep(key: Key, context: SecretContext, text: string): Promise<void>;
  find(key: Key, context: SecretContext): Promise<string | undefined>;
  drop(key: Key): Promise<void>;
}

const createSecretBox = (table: Table, keys: DataKeys): SecretBox => {
  // Caches decrypted texts for a minute, by their stored form, so that a call need not decrypt them each time.
  const opened = new LRUCache<string, string>({ max: OPENED, ttl: OPENED_MS });
  return {
    async keep(key, context, text) {
      const sealed = await sealSecret(keys, context, text);
      await table.write([put(key, SecretItem, sealed)]);
    },
    async find(key, context) {
      const item = await table.get(key);
      if (!item) return undefined;
      const sealed = read(item, SecretItem);
      const id = `${sealed.tag} ${sealed.iv} ${JSON.stringify(context)}`;
      const known = opened.get(id);
      if (known !== undefined) return known;
      const text = await openSecret(keys, context, sealed);
      opened.set(id, text);
      return text;
    },
    drop: (key) => table.write([{ remove: key }]),
  };
};

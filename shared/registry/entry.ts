import { sha256 } from '../kernel/canonical-json.ts';
import type { Family, Registration, VersionRecord } from '../model/registration.ts';
import { exactVersion } from './family-versions.ts';
import { toRegistration } from './registration.ts';

/** A tool in the catalogue: its default registration, and its response body serialised once. */
export class Entry {
  readonly family: Family;
  readonly record: VersionRecord;
  readonly registration: Registration;
  /** Whether it comes from the read-only layer that every tenant sees. */
  readonly shipped: boolean;
  #answer: SerializedAnswer | undefined;

  constructor(family: Family, record: VersionRecord, shipped: boolean) {
    this.family = family;
    this.record = record;
    this.shipped = shipped;
    this.registration = toRegistration(family, record);
  }

  get answer(): SerializedAnswer {
    this.#answer ??= serializeAnswer(this.registration);
    return this.#answer;
  }
}

export interface SerializedAnswer {
  readonly body: string;
  readonly etag: string;
}

export const serializeAnswer = (value: unknown): SerializedAnswer => {
  const body = JSON.stringify(value);
  return { body, etag: computeEtag(body) };
};

export const computeEtag = (body: string): string => `"${sha256(body).slice(0, 24)}"`;

/** The entry of a family; undefined when it has no version to show. */
export const createEntry = (family: Family, shipped: boolean): Entry | undefined => {
  const record = exactVersion(family);
  return record && new Entry(family, record, shipped);
};

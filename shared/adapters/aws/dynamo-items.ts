import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item, Key } from '../../kernel/ports.ts';
import { type Counters, isCounters } from '../counters.ts';
import { createItem, itemOfText, type PreparedWrite } from '../table-rules.ts';

export type Attributes = Record<string, AttributeValue>;

/** An item with the stamp of the write that created it. */
export interface StampedItem {
  readonly item: Item;
  /** Random, so that a condition on it detects an item that was removed and created again. */
  readonly stamp: string;
}

/**
 * An item as stored in DynamoDB. A body of integers is stored as attributes, which can be incremented; any other body as
 * JSON text, because DynamoDB's maps keep neither the order of keys nor every number, and have at most 32 levels.
 */
export function encodeItem(write: PreparedWrite, revision: number, stamp: string): Attributes {
  const text = write.text ?? '{}';
  const body: Item['body'] = JSON.parse(text);
  const attributes: Attributes = {
    ...keyAttributes(write.key),
    revision: { N: `${revision}` },
    stamp: { S: stamp },
    ...(isCounters(body) ? counterAttributes(body) : { body: { S: text } }),
  };
  if (write.expires !== undefined) attributes.expires = { N: `${write.expires}` };
  return attributes;
}

/** Decodes an item that DynamoDB returned, or of a stream's image. */
export function decodeItem(attributes: Readonly<Attributes>): StampedItem {
  const { pk, sk, revision, expires, stamp, body } = attributes;
  const key = { pk: pk?.S ?? '', sk: sk?.S ?? '' };
  const until = expires?.N === undefined ? undefined : Number(expires.N);
  return {
    item:
      body?.S === undefined
        ? createItem(key, Number(revision?.N), until, decodeCounters(attributes))
        : itemOfText(key, Number(revision?.N), until, body.S),
    stamp: stamp?.S ?? '',
  };
}

export const keyAttributes = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } });

// The prefix separates counters from the other attributes.
const counterPrefix = 'count:';

/** The attribute of a counter. */
export const counterAttribute = (name: string): string => `${counterPrefix}${name}`;

/** The counters in an item's attributes. */
export const decodeCounters = (attributes: Readonly<Attributes>): Counters =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name.startsWith(counterPrefix))
      .map(([name, value]) => [name.slice(counterPrefix.length), Number(value.N)]),
  );

const counterAttributes = (counters: Counters): Attributes =>
  Object.fromEntries(Object.entries(counters).map(([name, value]) => [counterAttribute(name), { N: `${value}` }]));

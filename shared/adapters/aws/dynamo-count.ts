import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Key } from '../../kernel/ports.ts';
import type { Counters } from '../counters.ts';
import { type Attributes, counterAttribute, keyAttributes } from './dynamo-items.ts';

export interface Count {
  readonly key: Key;
  readonly add: Counters;
  readonly limits: Counters;
  readonly expires: number | undefined;
  readonly stamp: string;
}

/** An update that adds if the item has not expired, has only counters, and stays within the limits. */
export function countRequest(TableName: string, count: Count, nowMs: number): UpdateItemCommandInput {
  const { add, limits, expires, stamp } = count;
  const placeholders = namePlaceholders(add, limits);
  const amounts = Object.entries(add).map(([name, amount], n) => ({
    text: `${placeholders.get(name)} :add${n}`,
    values: { [`:add${n}`]: { N: `${amount}` } },
  }));
  const rooms = limitConditions(add, limits, placeholders);
  const values: Attributes = Object.assign(
    { ':one': { N: '1' }, ':now': { N: `${nowMs / 1000}` }, ':stamp': { S: stamp } },
    ...[...amounts, ...rooms].map((each) => each.values),
  );
  if (expires !== undefined) values[':expires'] = { N: `${expires}` };
  return {
    TableName,
    Key: keyAttributes(count.key),
    UpdateExpression: [
      `SET #stamp = :stamp${expires === undefined ? '' : ', #expires = :expires'}`,
      `ADD ${['#revision :one', ...amounts.map(({ text }) => text)].join(', ')}`,
    ].join(' '),
    ConditionExpression: [...always, ...rooms.map(({ text }) => text)].join(' AND '),
    ExpressionAttributeNames: {
      ...fixedNames,
      ...Object.fromEntries([...placeholders].map(([name, placeholder]) => [placeholder, counterAttribute(name)])),
    },
    ExpressionAttributeValues: values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ReturnConsumedCapacity: 'TOTAL',
  };
}

const fixedNames = { '#body': 'body', '#expires': 'expires', '#stamp': 'stamp', '#revision': 'revision' } as const;

// The last condition detects a retry of a request whose response was lost.
const always = [
  'attribute_not_exists(#body)',
  '(attribute_not_exists(#expires) OR #expires > :now)',
  '(attribute_not_exists(#stamp) OR #stamp <> :stamp)',
] as const;

const namePlaceholders = (add: Counters, limits: Counters): ReadonlyMap<string, string> =>
  new Map([...Object.keys(add), ...Object.keys(limits)].map((name, n) => [name, `#counter${n}`]));

function limitConditions(add: Counters, limits: Counters, placeholders: ReadonlyMap<string, string>) {
  const amounts = new Map(Object.entries(add));
  return Object.entries(limits).map(([name, limit], n) => {
    const room = limit - (amounts.get(name) ?? 0);
    const fits = `${placeholders.get(name)} <= :room${n}`;
    // A missing counter is 0.
    const text = room >= 0 ? `(attribute_not_exists(${placeholders.get(name)}) OR ${fits})` : fits;
    return { text, values: { [`:room${n}`]: { N: `${room}` } } };
  });
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DynamoAccess } from '../../shared/adapters/aws/dynamo-access.ts';
import { gatherReads } from '../../shared/adapters/aws/gather-reads.ts';
import { createItem } from '../../shared/adapters/table-rules.ts';
import type { Key } from '../../shared/kernel/ports.ts';

const key = (n: number): Key => ({ pk: `T#${n}`, sk: 'A' });

/** Holds the even keys, answers in reverse order, and refuses a request for the thirteenth. */
const setting = () => {
  const sent: number[] = [];
  const answer = async (keys: readonly Key[]) => {
    sent.push(keys.length);
    if (keys.some(({ pk }) => pk === 'T#13')) throw new Error('throttled');
    return keys
      .filter(({ pk }) => Number(pk.slice(2)) % 2 === 0)
      .map((each) => ({ item: createItem(each, 1, undefined, {}), stamp: each.pk }))
      .reverse();
  };
  const unused = (): never => assert.fail('not a read');
  const access: DynamoAccess = {
    ...{ query: unused, scan: unused, put: unused, update: unused, transact: unused, writeBatch: unused },
    get: async (one) => (await answer([one]))[0],
    getMany: answer,
  };
  return { sent, reads: gatherReads(access) };
};

describe('batched reads', () => {
  test('reads that start together share requests of a hundred keys, and each gets its own item', async () => {
    const { sent, reads } = setting();
    const found = await Promise.all(Array.from({ length: 250 }, (_, n) => reads.get(key(n + 1000))));
    assert.deepEqual(sent, [100, 100, 50]);
    assert.deepEqual(
      found.map((each) => each?.stamp),
      Array.from({ length: 250 }, (_, n) => (n % 2 === 0 ? `T#${n + 1000}` : undefined)),
    );
  });

  test('a single read is sent as a plain GetItem, and the same key read twice is requested once', async () => {
    const { sent, reads } = setting();
    assert.equal((await reads.get(key(2)))?.stamp, 'T#2');
    await Promise.all([reads.get(key(2)), reads.get(key(4)), reads.get(key(2))]);
    assert.deepEqual(sent, [1, 2]);
  });

  test('a failed batch fails only its own reads, and later reads are sent again', async () => {
    const { sent, reads } = setting();
    const settled = await Promise.allSettled([reads.get(key(12)), reads.get(key(13))]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal((await reads.get(key(12)))?.stamp, 'T#12');
    assert.deepEqual(sent, [2, 1]);
  });
});

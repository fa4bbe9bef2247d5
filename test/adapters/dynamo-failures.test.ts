import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type BatchGetItemOutput, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { repeatedly } from '../../shared/adapters/aws/backoff.ts';
import { dynamoCalls } from '../../shared/adapters/aws/dynamo-calls.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Key, Table } from '../../shared/kernel/ports.ts';
import { type LocalDynamo, localCalls, localClient, startDynamo, whyNoDynamo } from '../support/dynamo.ts';

const skip = whyNoDynamo() ?? false;

describe('DynamoDB table: cost, lost responses and failures', { skip }, () => {
  let dynamo: LocalDynamo;
  let table: Table;
  const spent: number[] = [];
  before(async () => {
    dynamo = await startDynamo();
    table = dynamoTable({ ...dynamo, call: dynamoCalls(dynamo.client), onCapacity: (units) => spent.push(units) });
  });
  after(() => dynamo?.stop());

  const add = (to: Table, key: Key) =>
    to.change([key], ([item]) => {
      const n = Number(item?.body.n ?? 0) + 1;
      return { writes: [{ put: key, body: { n, text: 'x'.repeat(700) } }], result: n };
    });

  const unitsOf = async (act: () => Promise<unknown>): Promise<number> => {
    spent.length = 0;
    await act();
    return spent.reduce((a, b) => a + b, 0);
  };

  test('a change of one item under 1 KB costs 1 write unit, a count 1, a blind write 1', async () => {
    const key = { pk: 'COST', sk: 'A' };
    const counter = { pk: 'COST', sk: 'QUOTA' };

    assert.equal(await unitsOf(() => add(table, key)), 1);
    assert.equal(await unitsOf(() => add(table, key)), 1);
    assert.equal(await unitsOf(() => table.count(counter, { calls: 1, micros: 50 }, { calls: 9 })), 1);
    assert.equal(await unitsOf(() => table.write([{ put: key, body: { text: 'x' } }])), 1);
  });

  test('a transaction of several items costs 2 write units each, and one that writes nothing costs none', async () => {
    const keys = ['A', 'B', 'C'].map((sk) => ({ pk: 'COST-MANY', sk }));
    const put = (count: number) => () =>
      table.change(keys, () => ({ writes: keys.slice(0, count).map((key) => ({ put: key, body: {} })), result: 0 }));

    assert.equal(await unitsOf(put(3)), 6);
    assert.equal(await unitsOf(put(0)), 0);
  });

  test('a truncated item is refused by its key and does not hide the other items of its page', async () => {
    const [cut, whole] = ['A', 'B'].map((sk) => ({ pk: 'CUT', sk })) as [Key, Key];
    await table.write([cut, whole].map((key) => ({ put: key, body: { text: 'x' } })));
    await dynamo.client.send(
      new UpdateItemCommand({
        TableName: dynamo.tableName,
        Key: { pk: { S: cut.pk }, sk: { S: cut.sk } },
        UpdateExpression: 'SET body = :cut',
        ExpressionAttributeValues: { ':cut': { S: '{"te' } },
      }),
    );

    const { items } = await table.query('CUT');
    const refusal = { code: 'Unavailable', message: /the stored item CUT A cannot be read.*nothing was changed/ };
    assert.throws(() => items[0]?.body, refusal);
    assert.deepEqual(items[1]?.body, { text: 'x' });
    await assert.rejects(add(table, cut), refusal);
  });

  test('concurrent changes in one process do not conflict: each is written once', async () => {
    const key = { pk: 'QUEUE', sk: 'A' };

    const requests = await requestsOf(dynamo.client, 'PutItem', () =>
      Promise.all(Array.from({ length: 30 }, () => add(table, key))),
    );

    assert.equal(requests, 30);
    assert.equal((await table.get(key))?.body.n, 30);
  });

  test('changes of one key run in the order they were requested', async () => {
    const [a, b] = ['A', 'B'].map((sk) => ({ pk: 'ORDER', sk })) as [Key, Key];
    const order: string[] = [];
    const put = (name: string, ...keys: Key[]) =>
      table.change(keys, () => ({ writes: keys.map((key) => ({ put: key, body: {} })), result: order.push(name) }));

    await Promise.all([put('first', a, b), put('second', b), put('third', b, a), put('fourth', a)]);

    assert.deepEqual(order, ['first', 'second', 'third', 'fourth']);
    assert.deepEqual([(await table.get(a))?.revision, (await table.get(b))?.revision], [3, 3]);
  });

  for (const operation of ['PutItem', 'UpdateItem', 'TransactWriteItems'])
    for (const by of ['the SDK', 'our own client'])
      test(`${operation} takes effect once when its response is lost and ${by} retries it`, async (t) => {
        const proxy = await proxyLosingAnswer(t, dynamo.endpoint, operation);
        const client = localClient(proxy.endpoint);
        t.after(() => client.destroy());
        const call = by === 'the SDK' ? dynamoCalls(client) : localCalls(proxy.endpoint);
        const losing = dynamoTable({ call, tableName: dynamo.tableName });
        const [key, other] = ['A', 'B'].map((sk) => ({ pk: `LOST#${operation}#${by}`, sk })) as [Key, Key];

        const act = {
          PutItem: () => add(losing, key),
          UpdateItem: async () => (await losing.count(key, { n: 1 }))?.n,
          TransactWriteItems: () =>
            losing.change([key, other], ([item]) => {
              const n = Number(item?.body.n ?? 0) + 1;
              return { writes: [key, other].map((put) => ({ put, body: { n } })), result: n };
            }),
        }[operation];

        assert.equal(await act?.(), 1);
        assert.equal((await table.get(key))?.body.n, 1);
        assert.equal(proxy.asked(), 2);
      });

  test('an item deleted and recreated between reading and writing is not overwritten', async () => {
    const key = { pk: 'AGAIN', sk: 'A' };
    await add(table, key);
    let runs = 0;
    const meddling = localClient(dynamo.endpoint);
    meddling.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'PutItemCommand' && runs === 1) {
          await table.write([{ remove: key }]);
          await table.write([{ put: key, body: { n: 40, text: 'remade' } }]);
        }
        return next(args);
      },
      { step: 'initialize' },
    );

    const result = await dynamoTable({ call: dynamoCalls(meddling), tableName: dynamo.tableName }).change(
      [key],
      ([item]) => {
        runs++;
        const n = Number(item?.body.n) + 1;
        return { writes: [{ put: key, body: { n, text: 'x' } }], result: n };
      },
    );

    assert.deepEqual([result, runs], [41, 2]);
    meddling.destroy();
  });

  test('a change that writes nothing never decides on items read at different moments', async () => {
    const [a, b] = ['A', 'B'].map((sk) => ({ pk: 'TORN', sk })) as [Key, Key];
    const share = (first: number) =>
      table.write([
        { put: a, body: { n: first } },
        { put: b, body: { n: 10 - first } },
      ]);
    await share(10);
    const client = clientReadingTorn(dynamo.endpoint, dynamo.tableName, () => share(3));

    const seen: number[] = [];
    const total = await dynamoTable({ call: dynamoCalls(client), tableName: dynamo.tableName }).change(
      [a, b],
      (items) => {
        const sum = items.reduce((before, item) => before + Number(item?.body.n), 0);
        seen.push(sum);
        if (sum > 10) throw new Fault('Conflict', 'what belongs together was read apart');
        return { writes: [], result: sum };
      },
    );

    assert.deepEqual([seen, total], [[17, 10], 10]);
    client.destroy();
  });

  test('a table that does not exist is reported by its name', async () => {
    const missing = dynamoTable({ call: dynamo.call, tableName: 'nowhere' });

    await assert.rejects(missing.get({ pk: 'P', sk: 'A' }), {
      code: 'Unavailable',
      message: /table nowhere does not exist; create it/,
    });
    await assert.rejects(add(missing, { pk: 'P', sk: 'A' }), { code: 'Unavailable' });
  });

  test('AWS server errors and credential errors become Unavailable, with what to do', async (t) => {
    const cures = {
      InternalFailure: [500, /table assay failed; try again/],
      SomethingNew: [503, /table assay failed; try again/],
      ThrottlingException: [400, /table assay is throttled; try again/],
      UnrecognizedClientException: [400, /refuses the credentials/],
      InvalidSignatureException: [400, /check credentials and clock/],
      AccessDeniedException: [400, /may not be used; grant the permission/],
    } as const;
    for (const [name, [status, message]] of Object.entries(cures)) {
      const server = createServer((_, response) => {
        response.writeHead(status).end(JSON.stringify({ __type: `x#${name}`, message: 'no' }));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const failing = dynamoTable({ call: localCalls(endpoint), tableName: 'assay' });

      await assert.rejects(failing.get({ pk: 'P', sk: 'A' }), { code: 'Unavailable', message }, name);
    }
  });

  test('a DynamoDB server that does not answer is Unavailable', async () => {
    const unreachable = dynamoTable({ call: localCalls('http://127.0.0.1:9'), tableName: 'assay' });

    await assert.rejects(unreachable.query('P'), { code: 'Unavailable', message: /cannot be reached; try again/ });
  });
});

test('retries are bounded, back off with jitter, and end as Unavailable', async () => {
  const longest: number[] = [];
  const pause = async (ms: number) => void longest.push(ms);

  const endless = repeatedly('KEY kept being changed', async () => undefined, pause);

  await assert.rejects(endless, {
    code: 'Unavailable',
    message: /KEY kept being changed, after 40 attempts; try again/,
  });
  assert.equal(longest.length, 40);
  assert.ok(longest.every((ms, n) => ms <= Math.min(400, 8 * 2 ** n)));
  assert.ok(new Set(longest).size > 30);
});

async function requestsOf(client: DynamoDBClient, operation: string, act: () => Promise<unknown>): Promise<number> {
  let requests = 0;
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName === `${operation}Command`) requests++;
      return next(args);
    },
    { step: 'initialize', name: 'count-requests' },
  );
  await act();
  client.middlewareStack.remove('count-requests');
  return requests;
}

/** A client whose first read of two items sees one before and one after something happened. */
function clientReadingTorn(endpoint: string, tableName: string, happen: () => Promise<void>): DynamoDBClient {
  const client = localClient(endpoint);
  let isTorn = false;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const early = await next(args);
      if (context.commandName !== 'BatchGetItemCommand' || isTorn) return early;
      isTorn = true;
      await happen();
      const [before, after] = [early, await next(args)].map(({ output }) => (output as BatchGetItemOutput).Responses);
      const ofA = before?.[tableName]?.filter(({ sk }) => sk?.S === 'A') ?? [];
      const ofB = after?.[tableName]?.filter(({ sk }) => sk?.S === 'B') ?? [];
      return { ...early, output: { ...early.output, Responses: { [tableName]: [...ofA, ...ofB] } } };
    },
    { step: 'initialize' },
  );
  return client;
}

/** In front of a server: its first request of a kind reaches the server, but the answer never arrives. */
async function proxyLosingAnswer(t: TestContext, endpoint: string, operation: string) {
  let asked = 0;
  const proxy = createServer(async (request, response) => {
    const { connection: _, 'content-length': __, host: ___, ...headers } = request.headers;
    const sent = { method: 'POST', headers: headers as Record<string, string>, body: await text(request) };
    const answer = await fetch(endpoint, sent);
    const body = await answer.text();
    if (String(headers['x-amz-target']).endsWith(`.${operation}`) && ++asked === 1) request.socket.destroy();
    else response.writeHead(answer.status).end(body);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked: () => asked };
}

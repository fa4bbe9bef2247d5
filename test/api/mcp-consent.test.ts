import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { createApp } from '../../functions/api/app.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { connectClient, type Era, eras, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const CALL = { name: 'send_mail', arguments: { city: 'Paris' } };

const start = async (): Promise<TestAssay> => {
  const given = await testAssay();
  await given.json('POST', '/v1/tools', aTool({ name: 'send_mail', permission: 'confirm' }));
  await given.json('POST', '/v1/tools', aTool({ name: 'erase_disk', permission: 'dangerous' }));
  return given;
};

type Answer = 'accept' | 'decline' | 'cancel';

/** A client whose person answers every question alike. */
const withPerson = async (given: TestAssay, key: string, era: Era, action: Answer) => {
  const questions: string[] = [];
  const answer = (client: Client) =>
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
  const client = await connectClient(given.app, key, { era, capabilities: { elicitation: { form: {} } } }, answer);
  return { client, questions };
};

const executionsOf = async ({ json }: TestAssay): Promise<readonly { status: string; tool: string }[]> => {
  const { body } = await json<{ executions: { status: string; tool: string }[] }>('GET', '/v1/executions');
  return body.executions;
};

for (const era of eras)
  describe(`over the ${era} protocol`, () => {
    test('R1.22 a confirm-tool asks the person through the client, and runs after consent', async () => {
      const given = await start();
      const key = await given.key({ scopes: ['read', 'invoke', 'approve'] });
      const { client, questions } = await withPerson(given, key, era, 'accept');

      const result = await client.callTool(CALL);
      await client.close();

      assert.deepEqual(questions, ['Run send_mail with {"city":"Paris"}?']);
      assert.deepEqual(result.structuredContent, { temperature: 21 });
    });

    for (const action of ['decline', 'cancel'] as const)
      test(`R1.22 a confirm-tool does not run when the person chooses ${action}`, async () => {
        const given = await start();
        const key = await given.key({ scopes: ['read', 'invoke', 'approve'] });
        const { client } = await withPerson(given, key, era, action);

        const result = await client.callTool(CALL);
        await client.close();

        assert.equal(result.isError, true);
        assert.match(textOf(result), /declined to run send_mail/);
        const { body } = await given.json<{ confirmations: { state: string }[] }>('GET', '/v1/confirmations');
        assert.deepEqual(
          body.confirmations.map(({ state }) => state),
          ['refused'],
        );
      });

    test('R1.22 accepting with a key that may not consent does not run the tool', async () => {
      const given = await start();
      const key = await given.key({ scopes: ['read', 'invoke'] });
      const { client, questions } = await withPerson(given, key, era, 'accept');

      const result = await client.callTool(CALL);
      await client.close();

      assert.match(questions[0] ?? '', /This key may not consent/);
      assert.equal(result.isError, true);
      assert.match(textOf(result), /^ConfirmationRequired: .*waits for a person's consent/);
      assert.ok(!(await executionsOf(given)).some(({ status }) => status === 'ok'));
    });

    test('R1.22 a client without elicitation gets the token, and the call runs once another key approved it', async () => {
      const given = await start();
      const key = await given.key({ scopes: ['read', 'invoke'] });
      const client = await connectClient(given.app, key, { era });

      const refused = await client.callTool(CALL);
      const error = refused._meta?.['assay/error'] as { details: { confirmation: { token: string } } };
      const { token } = error.details.confirmation;
      const early = await client.callTool({ ...CALL, _meta: { 'assay/confirmation': token } });
      await given.json('POST', '/v1/confirmations', { token, approve: true });
      const run = await client.callTool({ ...CALL, _meta: { 'assay/confirmation': token } });
      const again = await client.callTool({ ...CALL, _meta: { 'assay/confirmation': token } });
      await client.close();

      assert.match(textOf(refused), /^ConfirmationRequired: /);
      assert.equal(early.isError, true);
      assert.deepEqual(run.structuredContent, { temperature: 21 });
      assert.match(textOf(again), /used already/);
    });

    test('R1.22 X.20 a client without elicitation repeats the same call after a person approved it', async () => {
      const given = await start();
      const key = await given.key({ scopes: ['read', 'invoke'] });
      const client = await connectClient(given.app, key, { era, headers: { host: 'localhost' } });

      const refused = await client.callTool(CALL);
      const error = refused._meta?.['assay/error'] as { details: { confirmation: { id: string } } };
      const { confirmation } = error.details;
      await given.json('POST', '/v1/confirmations', { id: confirmation.id, approve: true });
      const run = await client.callTool(CALL);
      const again = await client.callTool(CALL);
      await client.close();

      assert.ok(textOf(refused).includes(confirmation.id));
      assert.match(textOf(refused), /make the same call again.*http:\/\/localhost\/#\/activity\/waiting/);
      assert.deepEqual(run.structuredContent, { temperature: 21 });
      assert.match(textOf(again), /^ConfirmationRequired: /);
    });

    test('R1.22 a client that can open URLs is sent to the console when its key may not consent', async () => {
      const given = await start();
      const key = await given.key({ scopes: ['read', 'invoke'] });
      const pages: string[] = [];
      const client = await connectClient(
        given.app,
        key,
        { era, capabilities: { elicitation: { form: {}, url: {} } }, headers: { host: 'localhost' } },
        (made) =>
          made.setRequestHandler('elicitation/create', async ({ params }) => {
            if (params.mode === 'url') pages.push(params.url);
            const { body } = await given.json<{ confirmations: { id: string }[] }>('GET', '/v1/confirmations');
            await given.json('POST', '/v1/confirmations', { id: body.confirmations[0]?.id, approve: true });
            return { action: 'accept' };
          }),
      );

      const result = await client.callTool(CALL);
      await client.close();

      assert.deepEqual(pages, ['http://localhost/#/activity/waiting']);
      assert.deepEqual(result.structuredContent, { temperature: 21 });
    });

    test('R1.23 a dangerous tool is refused, with or without a person, and runs with a grant', async () => {
      const given = await start();
      const text = await given.key({ scopes: ['read', 'invoke', 'approve'] });
      const { client, questions } = await withPerson(given, text, era, 'accept');
      const call = { name: 'erase_disk', arguments: { city: 'x' } };

      const refused = await client.callTool(call);
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      await given.json('PUT', `/v1/grants/${text.split('_')[1]}/erase_disk`, { expires_at });
      const granted = await client.callTool(call);
      await client.close();

      assert.match(textOf(refused), /^Forbidden: erase_disk is a dangerous tool/);
      assert.deepEqual(questions, []);
      assert.deepEqual(granted.structuredContent, { temperature: 21 });
    });
  });

test('R1.22 an elicitation answer that reaches another process reaches the waiting call', async () => {
  const given = await start();
  const key = await given.key({ scopes: ['read', 'invoke', 'approve'] });
  const elsewhere = createApp(given.assay);
  const isAnswer = (body: string): boolean => body.includes('"result"') && !body.includes('"method"');
  const client = await connectClient(
    given.app,
    key,
    {
      era: 'legacy',
      capabilities: { elicitation: {} },
      route: (body) => (isAnswer(body) ? elsewhere : given.app),
    },
    (made) => made.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} })),
  );

  const result = await client.callTool(CALL);
  await client.close();

  assert.deepEqual(result.structuredContent, { temperature: 21 });
});

test('R1.22 two concurrent elicitations are each answered for their own call', async () => {
  const given = await start();
  const key = await given.key({ scopes: ['read', 'invoke', 'approve'] });
  const client = await connectClient(given.app, key, { era: 'legacy', capabilities: { elicitation: {} } }, (made) =>
    made.setRequestHandler('elicitation/create', async ({ params }) =>
      params.message.includes('Paris') ? { action: 'accept', content: {} } : { action: 'decline' },
    ),
  );

  const [paris, rome] = await Promise.all(
    ['Paris', 'Rome'].map((city) => client.callTool({ name: 'send_mail', arguments: { city } })),
  );
  await client.close();

  assert.deepEqual(paris?.structuredContent, { temperature: 21 });
  assert.match(textOf(rome ?? {}), /declined/);
});

test('a key cannot answer the elicitation of another key', async () => {
  const given = await start();
  const asked = await given.key({ scopes: ['read', 'invoke', 'approve'] });
  const stranger = await given.key({ scopes: ['read', 'invoke', 'approve'] });
  let isStolen = false;
  const client = await connectClient(given.app, asked, { era: 'legacy', capabilities: { elicitation: {} } }, (made) =>
    made.setRequestHandler('elicitation/create', async (_, ctx) => {
      // The stranger even knows the id.
      const answer = { jsonrpc: '2.0', id: ctx.mcpReq.id, result: { action: 'accept', content: {} } };
      const { status } = await given.request('POST', '/mcp', answer, stranger, {
        accept: 'application/json, text/event-stream',
      });
      isStolen = status === 202;
      return { action: 'decline' };
    }),
  );

  const result = await client.callTool(CALL);
  await client.close();

  assert.ok(isStolen);
  assert.match(textOf(result), /declined/);
  assert.ok(!(await executionsOf(given)).some(({ status }) => status === 'ok'));
});

test('a key with the scope admin may consent', async () => {
  const given = await start();
  const { client } = await withPerson(given, ADMIN_KEY, 'modern', 'accept');

  assert.equal((await client.callTool(CALL)).isError, undefined);
  await client.close();
});

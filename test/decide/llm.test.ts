import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openAiCompatibleLlm } from '../../shared/adapters/llm/openai-compatible.ts';
import { askForTool } from '../../shared/decide/llm.ts';
import { decideAmong, depsOf, stepOf, tool } from './catalogue.ts';
import { type StubAnswer, type StubCall, startStubLlm } from './stub-llm.ts';

const TASK = 'read the file /etc/hosts';

/** What the schema asks for tells which question it is. */
const propertiesOf = ({ body }: StubCall): readonly string[] => {
  const format = body.response_format as { json_schema?: { schema?: { properties?: object } } };
  return Object.keys(format.json_schema?.schema?.properties ?? {});
};

describe('a language model behind an OpenAI-compatible endpoint', () => {
  let stub: Awaited<ReturnType<typeof startStubLlm>>;
  let answer: (call: StubCall) => StubAnswer;

  before(async () => {
    stub = await startStubLlm((call) => answer(call));
  });
  after(() => stub.close());
  beforeEach(() => {
    stub.calls.length = 0;
  });

  const decideWithModel = (task = TASK, timeoutMs = 5000) =>
    decideAmong(
      task,
      {},
      depsOf(undefined, { llm: openAiCompatibleLlm({ url: stub.url, key: 'k-123', model: 'm', timeoutMs }) }),
    );

  /** Answers each question with what the test gives for it. */
  const saying =
    (answers: { intent?: unknown; tool?: unknown; arguments?: unknown }) =>
    (call: StubCall): StubAnswer => {
      const [first] = propertiesOf(call);
      const value =
        first === 'intent' ? { intent: answers.intent } : first === 'tool' ? { tool: answers.tool } : answers.arguments;
      return { content: JSON.stringify(value) };
    };

  test('R1.05 R1.08 the model’s intent, choice and arguments are used and marked as the model’s', async () => {
    answer = saying({ intent: 'read', tool: 'write_file', arguments: { path: '/etc/hosts', content: 'x' } });

    const decision = await decideWithModel();

    assert.equal(decision.tool, 'write_file');
    assert.deepEqual(decision.arguments, { path: '/etc/hosts', content: 'x' });
    assert.deepEqual(
      decision.steps.map(({ by }) => by),
      ['rules', 'model', 'rules', 'model', 'model'],
    );
    assert.equal(
      stub.calls.every(({ authorization }) => authorization === 'Bearer k-123'),
      true,
    );
    assert.equal(stub.calls[0]?.path, '/v1/chat/completions');
    assert.equal(stub.calls[0]?.body.model, 'm');
  });

  test('the model may answer that no tool fits', async () => {
    answer = saying({ intent: 'read', tool: null, arguments: {} });

    assert.equal((await decideWithModel()).tool, null);
  });

  for (const [name, given, note] of [
    ['nonsense', { content: 'I would rather not' }, /gave no JSON/],
    ['no object', { content: '[1, 2]' }, /no JSON object/],
    ['an empty answer', { raw: '{}' }, /gave no text/],
    ['a server error', { status: 500, raw: 'boom' }, /answered 500/],
    ['a body that is no JSON', { raw: '<html>' }, /gave no JSON/],
  ] as const) {
    test(`when the model fails with ${name}, the rules decide, with a note`, async () => {
      answer = () => given;

      const decision = await decideWithModel();

      assert.equal(decision.tool, 'read_file');
      assert.deepEqual(decision.arguments, { path: '/etc/hosts' });
      for (const step of ['intent', 'evaluate', 'arguments'] as const) {
        assert.equal(stepOf(decision, step).by, 'rules');
        assert.match(stepOf(decision, step).notes?.join() ?? '', note);
      }
    });
  }

  test('a model’s unknown tool, unknown intent and invalid arguments are rejected', async () => {
    answer = saying({ intent: 'conquer', tool: 'format_disk', arguments: { path: 7, force: true } });

    const decision = await decideWithModel();

    assert.equal(decision.tool, 'read_file');
    assert.deepEqual(decision.arguments, { path: '/etc/hosts' });
    assert.match(stepOf(decision, 'intent').notes?.join() ?? '', /no known intent/);
    assert.match(stepOf(decision, 'evaluate').notes?.join() ?? '', /no candidate/);
    assert.match(stepOf(decision, 'arguments').notes?.join() ?? '', /do not match the schema/);
  });

  test('the model reads the whole task however long the list of tools is', async () => {
    const tools = Array.from({ length: 60 }, (_, at) => tool(`tool_${'n'.repeat(100)}_${at}`, 'd'.repeat(1000)));
    const task = `${'word '.repeat(1600)}and the end`;
    let sent = '';
    const llm = {
      complete: async (messages: readonly { readonly content: string }[]) => {
        sent = messages.at(-1)?.content ?? '';
        return { tool: null };
      },
    };

    await askForTool(llm, task, tools);

    assert.ok(sent.endsWith(task), `the model was told ...${sent.slice(-40)}`);
    assert.ok(sent.length < 50_000);
  });

  test('a dangerous tool stays dangerous when a model picks it', async () => {
    answer = saying({ intent: 'delete', tool: 'file_delete', arguments: { path: '/etc/hosts' } });

    const decision = await decideWithModel('please delete the file /etc/hosts');

    assert.equal(decision.tool, 'file_delete');
    assert.equal(decision.ready, false);
    assert.match(decision.notes.join(), /dangerous/);
  });

  test('a slow model times out, and the rules decide', async () => {
    answer = () => ({ content: '{}', delayMs: 60_000 });

    const decision = await decideWithModel(TASK, 40);

    assert.equal(decision.tool, 'read_file');
    assert.match(stepOf(decision, 'intent').notes?.join() ?? '', /the model failed/);
  });

  test('a server without support for schemas is asked for plain JSON', async () => {
    answer = ({ body }) =>
      (body.response_format as { type: string }).type === 'json_schema'
        ? { status: 400, raw: '{"error": "unsupported"}' }
        : { content: '```json\n{"intent": "read"}\n```' };

    const step = stepOf(await decideWithModel(), 'intent');

    assert.equal(step.by, 'model');
    // Found by its form: a call that the test before this one gave up may arrive as late as now.
    const plain = stub.calls.find(({ body }) => (body.response_format as { type: string }).type !== 'json_schema');
    assert.match(JSON.stringify(plain?.body.messages), /Answer with JSON of this schema/);
  });

  test('an endpoint URL is enough: the first listed model is used, looked up once', async () => {
    answer = saying({ intent: 'read', tool: 'read_file', arguments: { path: '/etc/hosts' } });
    const llm = openAiCompatibleLlm({ url: `${stub.url}/v1/` });

    await decideAmong(TASK, {}, depsOf(undefined, { llm }));

    assert.equal(stub.calls.filter(({ path }) => path === '/v1/models').length, 1);
    assert.equal(stub.calls.at(-1)?.body.model, 'first-model');
    assert.equal(stub.calls.at(-1)?.authorization, undefined);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { convert, nameTable, parseCalls, providerNames, providers } from '../../shared/providers/index.ts';
import { encodeName, FUNCTION_NAME } from '../../shared/providers/names.ts';
import { aTool } from './support/tools.ts';

const toolName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/);

test('a tool name that a provider accepts is unchanged', () => {
  for (const name of ['score', 'score_2', 'a-b', '_', 'x'.repeat(64)])
    assert.equal(encodeName(name, FUNCTION_NAME), name);
  assert.equal(encodeName('iqa.score', providers.gemini.names), 'iqa.score');
  assert.equal(encodeName('iqa.score', providers.mcp.names), 'iqa.score');
});

test('other tool names become a readable prefix and a hash, always the same', () => {
  assert.equal(encodeName('iqa.score', FUNCTION_NAME), 'iqa_score__155sxgs2b7f71');
  assert.equal(encodeName('a'.repeat(65), FUNCTION_NAME).length, 64);
});

test('any tool names map to at most 64 characters, without collisions, and back', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(toolName, fc.string({ maxLength: 90 })), { maxLength: 12 }), (names) => {
      for (const { names: allowed } of Object.values(providers)) {
        const sent = names.map((name) => encodeName(name, allowed));

        assert.ok(sent.every((name) => allowed.test(name) && (name.length <= 64 || names.includes(name))));
        assert.equal(new Set(sent).size, names.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('a name that looks mapped does not collide with a mapped name', () => {
  const mapped = encodeName('iqa.score', FUNCTION_NAME);
  const names = ['iqa.score', mapped, encodeName(mapped, FUNCTION_NAME)];

  assert.equal(new Set(names.map((name) => encodeName(name, FUNCTION_NAME))).size, 3);
});

test('a call by the mapped name finds its tool', () => {
  const tool = aTool({ name: 'iqa.score_nr' });
  for (const provider of providerNames) {
    const text = JSON.stringify(convert(provider, [tool]).value);
    const [, sent = ''] = /"name":"([^"]+)"/.exec(text) ?? [];
    const message = { tool_calls: [{ id: 'c1', function: { name: sent, arguments: '{}' } }] };

    const [call] = parseCalls(provider, responses(sent, message)[provider], {
      names: nameTable(provider, [tool.name]),
    });

    assert.equal(call?.name, 'iqa.score_nr');
    assert.equal(call?.error, undefined);
  }
});

const responses = (name: string, message: unknown): Record<string, unknown> => ({
  openai: { choices: [{ message }] },
  openrouter: { choices: [{ message }] },
  mistral: { choices: [{ message }] },
  cohere: { message },
  ollama: { message },
  'open-responses': { output: [{ type: 'function_call', call_id: 'c1', name, arguments: '{}' }] },
  'gemini-interactions': { steps: [{ type: 'function_call', id: 'c1', name, arguments: {} }] },
  'openai-responses': { output: [{ type: 'function_call', call_id: 'c1', name, arguments: '{}' }] },
  anthropic: { content: [{ type: 'tool_use', id: 'c1', name, input: {} }] },
  bedrock: { output: { message: { content: [{ toolUse: { toolUseId: 'c1', name, input: {} } }] } } },
  gemini: { candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] } }] },
  mcp: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
});

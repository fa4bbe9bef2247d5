import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tool } from '../../shared/model/tool.ts';
import {
  assemble,
  convert,
  convertTool,
  defineTool,
  estimateTokens,
  lintTool,
  providerNames,
} from '../../shared/providers/index.ts';
import { aTool, toolWith } from './support/tools.ts';

type Entry = Readonly<Record<string, unknown>>;

const tools = ['alpha', 'beta', 'gamma'].map((name) => aTool({ name }));
const simple = aTool();

const namesOf = (value: unknown): readonly unknown[] =>
  (value as { function: { name: string } }[]).map((entry) => entry.function.name);

describe('converting definitions', () => {
  test('R2.07 tools convert to the OpenAI format', () => {
    const { value, warnings } = convert('openai', [simple]);

    const { name, description, parameters } = simple;
    assert.deepEqual(value, [{ type: 'function', function: { name, description, parameters } }]);
    assert.deepEqual(warnings, []);
  });

  test('R2.08 tools convert to Ollama’s format, which is OpenAI’s', () => {
    const plain = toolWith({ type: 'string', description: 'A city', enum: ['Ulm', 'Bonn'] });

    const { value } = convert('ollama', [plain]);

    assert.deepEqual(value, convert('openai', [plain]).value);
  });

  test('R2.09 Gemini gets functionDeclarations: one tool alone, or many in one list', () => {
    const plain = toolWith({ type: 'string', description: 'A city' });
    const { name, description, parameters } = plain;

    assert.deepEqual(convertTool('gemini', plain).value, { functionDeclarations: [{ name, description, parameters }] });
    const { value } = convert('gemini', [plain, aTool({ name: 'other' })]);
    const [only, ...rest] = value as { functionDeclarations: Entry[] }[];
    assert.deepEqual(rest, []);
    assert.deepEqual(
      only?.functionDeclarations.map((entry) => entry.name),
      [name, 'other'],
    );
  });

  test('R2.10 definitions keep the registry’s order, whatever the order of allowed', () => {
    const { value } = convert('openai', tools, { allowed: ['gamma', 'alpha', 'unknown'] });

    assert.deepEqual(namesOf(value), ['alpha', 'gamma']);
  });

  test('R2.11 an unknown provider is refused with the supported ones', () => {
    for (const name of ['gpt', 'constructor', '__proto__', '']) {
      assert.throws(() => convert(name, tools), {
        name: 'InvalidInput',
        message:
          /is not supported; supported: anthropic, bedrock, cohere, gemini, gemini-interactions, mcp, mistral, ollama, open-responses, openai, openai-responses, openrouter$/,
      });
    }
  });

  test('R3.06 all tools convert to OpenRouter definitions', () => {
    const { value } = convert('openrouter', tools);

    assert.deepEqual(namesOf(value), ['alpha', 'beta', 'gamma']);
    assert.deepEqual((value as Entry[])[0], {
      type: 'function',
      function: { name: 'alpha', description: simple.description, parameters: simple.parameters },
    });
  });

  test('a tool without a description gets none, and one without parameters still gets an object schema', () => {
    const bare: Tool = { name: 'bare', type: 'function', tags: [], parameters: { type: 'object' } };

    assert.deepEqual(convert('openai', [bare]).value, [
      { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } },
    ]);
    assert.deepEqual(convert('gemini', [bare]).value, [{ functionDeclarations: [{ name: 'bare' }] }]);
    assert.deepEqual(convert('bedrock', [bare]).value, [
      { toolSpec: { name: 'bare', inputSchema: { json: { type: 'object', properties: {} } } } },
    ]);
  });

  test('no tools convert to an empty list for every provider', () => {
    for (const provider of providerNames) {
      assert.deepEqual(convert(provider, []), { value: [], warnings: [], left_out: [], tokens: 0 });
    }
  });

  test('cached fragments give the same text as a conversion', () => {
    for (const provider of providerNames) {
      for (const options of [{}, { strict: true }, { defer: true }]) {
        const fragments = tools.map((tool) => defineTool(provider, tool, options));

        const { json, value } = assemble(provider, fragments, options);

        assert.equal(json, JSON.stringify(value));
        assert.deepEqual(value, convert(provider, tools, options).value);
      }
    }
  });

  test('converting does not change the tool', () => {
    const frozen = deepFreeze(
      structuredClone(
        aTool({ parameters: { type: 'object', properties: { a: { type: 'array' } }, anyOf: [{ required: ['a'] }] } }),
      ),
    );

    for (const provider of providerNames) convert(provider, [frozen], { strict: true });
  });
});

describe('tools that a provider cannot accept', () => {
  test('a tool that no provider can accept is left out with the reason, and the others stay', () => {
    const broken = aTool({ name: 'beta', parameters: { type: 'string' } });

    for (const provider of providerNames) {
      const { value, left_out } = convert(provider, [aTool({ name: 'alpha' }), broken]);

      assert.deepEqual(left_out, [{ tool: 'beta', reason: '/: the parameters must be of type object' }]);
      assert.match(JSON.stringify(value), /alpha/);
    }
  });

  test('an endlessly nested schema is left out without a stack overflow', () => {
    let schema: Entry = { type: 'string' };
    for (let depth = 0; depth < 20_000; depth += 1) schema = { type: 'object', properties: { a: schema } };

    for (const provider of ['openai', 'gemini', 'ollama']) {
      const { left_out } = convert(provider, [toolWith(schema), aTool({ name: 'other' })]);

      assert.equal(left_out.length, 1);
      assert.match(left_out[0]?.reason ?? '', /nested deeper than 64 levels/);
    }
  });

  test('the second of two tools with one name is left out', () => {
    const { value, left_out } = convert('anthropic', [simple, simple]);

    assert.equal((value as unknown[]).length, 1);
    assert.deepEqual(left_out, [{ tool: 'score', reason: 'the name score is taken' }]);
  });

  test('registering warns of what each provider loses, with provider and path', async () => {
    const warnings = await lintTool(toolWith({ type: 'number', exclusiveMinimum: 0 }, { name: 'dotted' }));

    const gemini = warnings.filter(({ provider }) => provider === 'gemini');
    assert.deepEqual(gemini, [
      {
        provider: 'gemini',
        tool: 'score',
        path: '/properties/x',
        kind: 'loosened',
        message: 'exclusiveMinimum is not in Gemini and is described instead',
      },
    ]);
    assert.ok(!warnings.some(({ provider }) => provider === 'openai'));
  });

  test('registering warns that a tool is left out, and that a description is long', async () => {
    const left = await lintTool(aTool({ parameters: { type: 'string' } }));
    // Open Responses and Gemini's interactions are forms of two that are there.
    assert.equal(left.length, providerNames.length - 2);
    assert.ok(left.every(({ message }) => message.startsWith('is left out: ')));

    const long = aTool({ description: 'x'.repeat(1025) });
    assert.match((await lintTool(long)).at(-1)?.message ?? '', /1025 characters/);
    assert.ok(!(await lintTool(long, { descriptionLength: 2000 })).some(({ message }) => /1025/.test(message)));
  });
});

describe('strict mode', () => {
  const parametersOf = (value: unknown): Entry => {
    const [entry] = value as Entry[];
    const inner = (entry?.function ?? entry) as Entry;
    return (inner.parameters ?? inner.input_schema) as Entry;
  };

  test('OpenAI strict mode requires every key, and optional ones may be null', () => {
    const { value } = convert('openai', [simple], { strict: true });

    assert.equal((value as { function: Entry }[])[0]?.function.strict, true);
    const { required, properties } = parametersOf(value) as { required: string[]; properties: Record<string, Entry> };
    assert.deepEqual(required, ['image_key', 'metric', 'resize']);
    assert.deepEqual(properties.resize?.type, ['integer', 'null']);
    assert.equal(properties.resize?.minimum, 1);
  });

  test('Anthropic strict mode keeps optional keys optional and moves bounds to descriptions', () => {
    const { value, warnings } = convert('anthropic', [simple], { strict: true });

    assert.equal((value as Entry[])[0]?.strict, true);
    const { required, properties } = parametersOf(value) as { required: string[]; properties: Record<string, Entry> };
    assert.deepEqual(required, ['image_key', 'metric']);
    assert.deepEqual(properties.resize, { type: 'integer', description: 'Longest side. At least 1.' });
    assert.deepEqual(
      warnings.map(({ path }) => path),
      ['/properties/resize'],
    );
  });

  test('Anthropic accepts twenty strict tools and 24 optional parameters per request; the rest are not strict', () => {
    const many = Array.from({ length: 26 }, (_, index) =>
      toolWith({ type: 'string' }, { required: index < 3 ? [] : ['x'], additionalProperties: false }),
    ).map((tool, index) => ({ ...tool, name: `tool_${index}` }));

    const { value, warnings, left_out } = convert('anthropic', many, { strict: true });

    const strict = (value as Entry[]).filter((entry) => entry.strict === true);
    assert.equal((value as Entry[]).length, 26);
    assert.equal(strict.length, 20);
    assert.equal(warnings.filter(({ kind }) => kind === 'plain').length, 6);
    assert.deepEqual(left_out, []);

    const wide = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const [entry] = convert('anthropic', [aTool({ parameters: { type: 'object', properties: wide } })], {
      strict: true,
    }).value as Entry[];
    assert.equal(entry?.strict, undefined);
  });

  test('a tool without a strict form is sent non-strict, with the reason', () => {
    const map = toolWith({ type: 'object', additionalProperties: { type: 'string' } });
    for (const provider of ['openai', 'anthropic', 'mistral', 'openrouter', 'bedrock']) {
      const { value, warnings } = convert(provider, [map], { strict: true });

      assert.ok(!JSON.stringify(value).includes('"strict":true'));
      assert.match(warnings.find(({ kind }) => kind === 'plain')?.message ?? '', /further keys has no strict form/);
    }
    const deep = aTool({ parameters: nested(12) });
    assert.match(convert('openai', [deep], { strict: true }).warnings[0]?.message ?? '', /at most 10 levels/);
    const wide = toolWith(
      { type: 'string', enum: Array.from({ length: 1001 }, (_, index) => `${index}`) },
      { additionalProperties: false },
    );
    assert.match(convert('openai', [wide], { strict: true }).warnings[0]?.message ?? '', /at most 1000 enum values/);
  });

  test('Cohere tools that strict_tools would refuse are left out, with the setting to send', () => {
    const optional = toolWith({ type: 'string' }, { required: [] });

    const { value, left_out, warnings } = convert('cohere', [optional, aTool({ name: 'fits' })], { strict: true });

    assert.deepEqual(left_out, [{ tool: 'score', reason: 'strict_tools needs at least one required parameter' }]);
    assert.deepEqual(namesOf(value), ['fits']);
    assert.ok(warnings.some(({ message }) => message === 'send strict_tools: true with the request'));
    const many = Array.from({ length: 70 }, (_, index) => aTool({ name: `tool_${index}` }));
    assert.equal(convert('cohere', many, { strict: true }).left_out.length, 4);
  });

  test('a provider without strict mode says so', () => {
    for (const provider of ['gemini', 'ollama', 'mcp']) {
      const { value, warnings } = convert(provider, [simple], { strict: true });

      assert.deepEqual(value, convert(provider, [simple]).value);
      assert.ok(warnings.some(({ kind }) => kind === 'request'));
    }
  });
});

describe('saving context', () => {
  const catalogue = Array.from({ length: 200 }, (_, index) => aTool({ name: `tool_${index}` }));

  test('mode=search gives find_tools and call_tool instead of the catalogue', () => {
    for (const provider of providerNames) {
      const { value, left_out, tokens } = convert(provider, catalogue, { mode: 'search' });

      assert.deepEqual(
        [...JSON.stringify(value).matchAll(/"name":"(find_tools|call_tool)"/g)].map(([, name]) => name),
        ['call_tool', 'find_tools'],
      );
      assert.deepEqual(left_out, []);
      assert.ok(tokens * 20 < convert(provider, catalogue).tokens);
    }
  });

  test('defer sets defer_loading and adds the search tool for providers that have one', () => {
    const [search, ...rest] = convert('anthropic', tools, { defer: true }).value as Entry[];
    assert.deepEqual(search, { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' });
    assert.ok(rest.length === 3 && rest.every((entry) => entry.defer_loading === true));
    assert.deepEqual((convert('openai-responses', tools, { defer: true }).value as Entry[])[0], {
      type: 'tool_search',
    });
    assert.ok(convert('anthropic', catalogue, { defer: true }).tokens < 50);

    const { value, warnings } = convert('mistral', tools, { defer: true });
    assert.deepEqual(value, convert('mistral', tools).value);
    assert.ok(warnings.some(({ message }) => /cannot defer/.test(message)));
  });

  test('OpenAI definitions warn beyond 128 functions', () => {
    assert.match(convert('openai', catalogue).warnings.at(-1)?.message ?? '', /at most 128 functions, these are 200/);
  });

  test('the token estimate is near the counts of byte-pair encoders', () => {
    // Counted with o200k_base.
    for (const [text, counted] of [
      ['The quick brown fox jumps over the lazy dog.', 10],
      ['{"a":1234567,"b":[1,2,3]}', 15],
      ['説明 画像の品質を測定します。', 10],
    ] as const) {
      const estimated = estimateTokens(text);

      assert.ok(Math.abs(estimated - counted) <= 0.3 * counted, `${text}: ${estimated} for ${counted}`);
    }
    assert.equal(estimateTokens(''), 0);
  });
});

function nested(levels: number): Entry {
  const inner = levels === 0 ? { type: 'string' } : nested(levels - 1);
  return { type: 'object', properties: { a: inner }, required: ['a'], additionalProperties: false };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AnthropicTool } from '../../shared/providers/anthropic.ts';
import { convert } from '../../shared/providers/index.ts';
import { arbitraryParameters } from './support/arbitrary-schema.ts';
import { randomOf, sample } from './support/sample.ts';
import { aTool } from './support/tools.ts';
import { accepts } from './support/validate.ts';

test('examples sent to Anthropic match the converted schema, or a warning says they are left out', () => {
  let sent = 0;
  fc.assert(
    fc.property(arbitraryParameters, fc.integer(), fc.boolean(), (parameters, seed, strict) => {
      const example = sample(parameters, randomOf(seed)) as Record<string, unknown>;
      if (!accepts(parameters, example)) return;
      const tool = aTool({ parameters, input_examples: [example] });
      const { value, warnings } = convert('anthropic', [tool], { strict });
      const [entry] = value as AnthropicTool[];
      if (!entry) return;
      if (!entry.input_examples) {
        assert.ok(warnings.some(({ message }) => message.startsWith('input_examples are left out')));
        return;
      }
      sent += 1;
      assert.deepEqual(entry.input_examples, [example]);
      assert.ok(accepts(entry.input_schema, example), JSON.stringify({ parameters, example, entry }));
    }),
    { numRuns: 400, seed: 19 },
  );
  assert.ok(sent > 50, String(sent));
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { argumentsFor } from '../../shared/decide/arguments.ts';
import type { JsonSchema } from '../../shared/kernel/json.ts';
import { depsOf, tool } from './catalogue.ts';

/** 2024-05-10, a Friday. */
const NOW = Date.UTC(2024, 4, 10, 12);

export interface Case {
  readonly task: string;
  readonly properties: Readonly<Record<string, JsonSchema | string>>;
  readonly required?: readonly string[];
  readonly expected: Readonly<Record<string, unknown>>;
}

export const extracted = async ({
  task,
  properties,
  required,
}: Omit<Case, 'expected'>): Promise<Readonly<Record<string, unknown>>> => {
  const schemas = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, typeof schema === 'string' ? { type: schema } : schema]),
  );
  const made = tool('made_up', 'Does what the test says', schemas, required ?? Object.keys(properties));
  return (await argumentsFor({ task, now: NOW }, made, depsOf([made]))).arguments;
};

/** A test for each case: the arguments that are taken from its task. */
export const check = (title: string, cases: readonly Case[]): void => {
  describe(title, () => {
    for (const each of cases) {
      test(`R1.08 ${each.task}`, async () => {
        assert.deepEqual(await extracted(each), each.expected);
      });
    }
  });
};

export const described = (type: string, description: string): JsonSchema => ({ type, description });

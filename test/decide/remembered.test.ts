import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import type { Memory } from '../../shared/insight/memory.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { nearestExamples, readExampleTexts } from '../../shared/search/near-examples.ts';
import { decideAmong, depsOf, stepOf, tool } from './catalogue.ts';

const TASK = 'look up synonyms of a word';
const twins = ['qaa', 'qab'].map((name) => tool(`${name}_thesaurus`, 'Look up synonyms of a word'));
const others = [tool('get_weather', 'Get the weather of a city'), tool('send_email', 'Send an email')];

const memoryOf = (examples: Readonly<Record<string, string>>): Memory => ({
  revision: 7,
  nearest: (request, tools) =>
    nearestExamples(request, tools, (name) =>
      readExampleTexts(examples[name] === undefined ? [] : [{ id: 'e1', request: examples[name] }]),
    ),
});

const decided = (tools: readonly Tool[], more: Partial<DecideDeps>) => decideAmong(TASK, {}, depsOf(tools, more));

describe('examples of earlier requests', () => {
  test('an example raises the tool that served a similar request, and the evidence names it and its revision', async () => {
    const cold = await decided([...twins, ...others], {});
    const warm = await decided([...twins, ...others], {
      memory: memoryOf({ qab_thesaurus: 'look up synonyms of big' }),
    });
    assert.equal(cold.tool, 'qaa_thesaurus');
    assert.equal(warm.tool, 'qab_thesaurus');
    assert.match(
      stepOf(warm, 'evaluate').evidence.join(),
      /like the example "look up synonyms of big" \(\d+ %, e1, memory 7\)/,
    );
    assert.match(warm.notes.join(), /without it qaa_thesaurus would be/);
  });

  test('X.12 examples never make a decision more certain or ready', async () => {
    const cold = await decided([...twins, ...others], {});
    for (const name of ['qaa_thesaurus', 'qab_thesaurus', 'get_weather', 'send_email']) {
      const warm = await decided([...twins, ...others], { memory: memoryOf({ [name]: TASK }) });
      assert.ok(warm.confidence <= cold.confidence, `${name}: ${warm.confidence} > ${cold.confidence}`);
      assert.ok(cold.ready || !warm.ready);
    }
  });

  test('examples do not choose a tool for a task that it does not fit', async () => {
    const warm = await decided([...twins, ...others], { memory: memoryOf({ get_weather: TASK }) });
    assert.equal(warm.tool, 'qaa_thesaurus');
  });

  test('examples have no effect for a tool that needs consent', async () => {
    const [first, second] = twins as [Tool, Tool];
    const risky: Tool = { ...second, permission: 'confirm' };
    const warm = await decided([first, risky, ...others], { memory: memoryOf({ qab_thesaurus: TASK }) });
    assert.equal(warm.tool, 'qaa_thesaurus');
  });

  test('X.12 examples in a definition count like learnt ones', async () => {
    const [first, second] = twins as [Tool, Tool];
    const warm = await decided([first, { ...second, examples: ['look up synonyms of big'] }, ...others], {
      memory: memoryOf({}),
    });
    assert.equal(warm.tool, 'qab_thesaurus');
  });
});

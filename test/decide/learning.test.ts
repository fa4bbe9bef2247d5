import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import { decideAmong, depsOf, stepOf, tool } from './catalogue.ts';

const TASK = 'look up synonyms of a word';
const twins = ['qaa', 'qab'].map((name) => tool(`${name}_thesaurus`, 'Look up synonyms of a word'));
const others = [tool('get_weather', 'Get the weather of a city'), tool('send_email', 'Send an email')];

const chosenWith = async (more: Partial<DecideDeps>) => {
  const decision = await decideAmong(TASK, {}, depsOf([...twins, ...others], more));
  return { tool: decision.tool, evaluate: stepOf(decision, 'evaluate'), alternatives: decision.alternatives };
};

describe('decisions learn from use', () => {
  test('of equal tools without statistics the first by name is chosen', async () => {
    assert.equal((await chosenWith({})).tool, 'qaa_thesaurus');
  });

  test('R1.27 the success rate changes the choice, and the trace says so', async () => {
    const rates = new Map([
      ['qaa_thesaurus', 0.2],
      ['qab_thesaurus', 0.99],
    ]);

    const { tool, evaluate } = await chosenWith({
      usage: { stats: (name) => ({ calls: 50, successRate: rates.get(name) ?? 1 }) },
    });

    assert.equal(tool, 'qab_thesaurus');
    assert.match(evaluate.evidence.join(), /99 % of 50 calls succeeded/);
  });

  test('R1.27 duration decides between equal tools', async () => {
    const { tool } = await chosenWith({
      usage: { stats: (name) => ({ calls: 50, successRate: 1, meanMs: name.startsWith('qaa') ? 9000 : 20 }) },
    });

    assert.equal(tool, 'qab_thesaurus');
  });

  test('R1.27 user feedback changes the choice', async () => {
    const { tool, evaluate } = await chosenWith({
      usage: { rating: (name) => ({ mean: name.startsWith('qaa') ? 1.5 : 4.5, count: 10 }) },
    });

    assert.equal(tool, 'qab_thesaurus');
    assert.match(evaluate.evidence.join(), /rated 4.5 of 5 by 10/);
  });

  test('R1.28 a tool that failed repeatedly is not chosen, with the reason in the trace', async () => {
    const { tool, evaluate, alternatives } = await chosenWith({
      lists: { failing: new Map([['qaa_thesaurus', '5 failures in a row']]) },
    });

    assert.equal(tool, 'qab_thesaurus');
    assert.match(evaluate.notes?.join() ?? '', /qaa_thesaurus is on the blacklist: 5 failures in a row/);
    assert.equal(
      alternatives.some((each) => each.tool === 'qaa_thesaurus'),
      false,
    );
  });

  test('R1.29 whitelisted tools rank before all others', async () => {
    const { tool, evaluate } = await chosenWith({
      lists: { whitelist: new Set(['qab_thesaurus']) },
      usage: { rating: (name) => ({ mean: name.startsWith('qaa') ? 5 : 1, count: 100 }) },
    });

    assert.equal(tool, 'qab_thesaurus');
    assert.match(evaluate.evidence.join(), /on the whitelist/);
  });

  test('R1.29 the whitelist overrides failures, and a manual blacklist overrides the whitelist', async () => {
    const whitelist = new Set(['qaa_thesaurus']);
    const reason = new Map([['qaa_thesaurus', 'not this one']]);

    assert.equal((await chosenWith({ lists: { whitelist, failing: reason } })).tool, 'qaa_thesaurus');
    assert.equal((await chosenWith({ lists: { whitelist, blacklist: reason } })).tool, 'qab_thesaurus');
  });

  test('the whitelist does not choose a tool that does not fit the task', async () => {
    assert.notEqual((await chosenWith({ lists: { whitelist: new Set(['send_email']) } })).tool, 'send_email');
  });

  test('a tool that cannot run here ranks last', async () => {
    const { tool, alternatives } = await chosenWith({ available: ({ name }) => !name.startsWith('qaa') });

    assert.equal(tool, 'qab_thesaurus');
    assert.match(alternatives.at(-1)?.reasons.join() ?? '', /cannot run here/);
  });
});

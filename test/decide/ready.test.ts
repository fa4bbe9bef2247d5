import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongArguments } from '../../metadata/fit/acceptable.ts';
import { loadEveryday, NOW } from '../../metadata/fit/everyday-data.ts';
import { decide } from '../../shared/decide/decide.ts';

test('X.09 at least nine in ten decisions called ready are right, on everyday requests not used in fitting', async () => {
  const { requests, catalogues } = await loadEveryday(async () => []);
  const ready: { readonly query: string; readonly right: boolean }[] = [];
  let asked = 0;
  for (const { catalogue, query, kept, tools, acceptable } of requests) {
    const deps = catalogues.get(catalogue);
    if (!kept || catalogue === 'shipped' || deps === undefined) continue;
    asked++;
    const decision = await decide({ task: query, now: NOW }, deps);
    const right = tools.includes(decision.tool ?? '') && wrongArguments(decision.arguments, acceptable).length === 0;
    if (decision.ready) ready.push({ query, right });
  }
  const wrong = ready.filter(({ right }) => !right).map(({ query }) => query);
  assert.ok(ready.length >= asked / 4, `${ready.length} of ${asked} are ready`);
  assert.ok(wrong.length <= ready.length / 10, `ready but wrong: ${wrong.join('; ')}`);
});

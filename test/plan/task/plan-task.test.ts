import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { imageToolsByName } from '../../../shared/adapters/images/image-tools-by-name.ts';
import { buildPlan } from '../../../shared/plan/build.ts';
import { planTask } from '../../../shared/plan/task/plan-task.ts';
import { splitTask } from '../../../shared/plan/task/split.ts';
import { parseSpec } from '../../../shared/registry/parse-definition.ts';
import { fixtureDeps, planningWith } from './catalogue.ts';

interface Fixture {
  readonly task: string;
  readonly nodes: readonly { readonly id: string; readonly arguments: unknown; readonly after?: readonly string[] }[];
}

const file = new URL('../../golden/plan/tasks.json', import.meta.url);
const fixtures = JSON.parse(readFileSync(file, 'utf8')) as readonly Fixture[];

describe('requests of several steps', () => {
  test('the test set has thirty requests of several steps, in English and Chinese, with fan-out and data edges', () => {
    assert.ok(fixtures.length >= 30);
    assert.ok(fixtures.filter(({ task }) => /\p{Script=Han}/u.test(task)).length >= 8);
    assert.ok(fixtures.filter(({ nodes }) => JSON.stringify(nodes).includes('$from')).length >= 20);
  });

  for (const { task, nodes } of fixtures)
    test(`R1.09 a request becomes its plan: ${task}`, async () => {
      const planned = await planTask(task, fixtureDeps);

      const drafted = planned.plan.nodes.map(({ id, arguments: args, after }) => ({
        id,
        arguments: args,
        ...(after.length > 0 ? { after } : {}),
      }));
      assert.deepEqual(drafted, nodes);
      assert.deepEqual(planned.missing, []);
      const { plan } = buildPlan(planned.plan, (name) => {
        const spec = fixtureDeps.tool(name);
        return spec && { spec: { ...spec, implementation: { type: 'mock', mock_response: null } } };
      });
      assert.equal(plan.nodes.length, nodes.length);
    });

  for (const task of [
    'Resize photo.jpg to 64 pixels wide and then convert it to png',
    '把 photo.jpg 缩小到宽 64 像素，然后转换成 png',
  ])
    test(`R1.10 the picture from one step is the input of the next: ${task}`, async () => {
      const pictures = planningWith(Object.values(imageToolsByName).map((tool) => parseSpec(tool().definition)));

      const { plan } = await planTask(task, pictures);

      assert.deepEqual(
        plan.nodes.map(({ tool, arguments: given }) => ({ tool, ...given })),
        [
          { tool: 'image_resize', image: { key: 'photo.jpg' }, width: 64 },
          { tool: 'image_convert', format: 'png', image: { base64: { $from: 'image_resize.base64' } } },
        ],
      );
    });

  test('planning a task asks for what is missing instead of inventing it, and is not ready', async () => {
    const planned = await planTask('Translate "good morning", then email it', fixtureDeps);

    assert.equal(planned.ready, false);
    assert.ok(planned.missing.some(({ parameter, question }) => parameter === 'to' && question.length > 0));
  });

  test('a step that fits no tool is reported', async () => {
    await assert.rejects(planTask('Juggle three oranges', fixtureDeps), /no tool fits the step "Juggle three oranges"/);
    await assert.rejects(planTask('  ', fixtureDeps), /task is empty/);
  });

  test('quoted texts are never split, and details stay with their step', () => {
    const texts = (task: string) => splitTask(task, fixtureDeps.isAction).map(({ text }) => text);

    assert.deepEqual(texts('Hash "read it, then send it" and hash "x"'), ['Hash "read it, then send it"', 'hash "x"']);
    assert.equal(texts('Get the weather in Paris, London and Rome').length, 1);
  });

  test('planning a long request takes bounded time', async () => {
    const task = Array.from({ length: 500 }, (_, index) => `hash "text ${index}"`).join(', then ');

    assert.ok((await planTask(task, fixtureDeps)).plan.nodes.length <= 200);
  });
});

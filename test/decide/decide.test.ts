import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EvaluateStep } from '../../shared/decide/evaluate.ts';
import { decideAmong, depsOf, stepOf, TOOLS, tool } from './catalogue.ts';

/** 2024-05-10, a Friday. */
const NOW = Date.UTC(2024, 4, 10, 12);

const scenarioIds = async (task: string): Promise<readonly string[]> =>
  (stepOf(await decideAmong(task), 'scenario').decided as { id: string }[]).map(({ id }) => id);

const intentOf = async (task: string): Promise<string | undefined> =>
  (stepOf(await decideAmong(task), 'intent').decided as { id: string } | null)?.id;

describe('step 1, the scenario', () => {
  for (const [task, id] of [
    ['rename the file report.txt in my documents folder', 'file_operations'],
    ['download the web page at https://example.org', 'network_requests'],
    ['what is the median and the variance of this data table', 'data_analysis'],
    ['crop the photo and make the video shorter', 'media_processing'],
    ['restart the server process and show its memory', 'system_operations'],
    ['把这个文件移动到备份目录', 'file_operations'],
    ['抓取这个网页的链接', 'network_requests'],
    ['统计表格里的平均值和方差', 'data_analysis'],
    ['把照片裁剪一下，再压缩视频', 'media_processing'],
    ['重启服务进程，查看系统日志', 'system_operations'],
  ] as const) {
    test(`R1.04 ${task} is about ${id}`, async () => {
      assert.equal((await scenarioIds(task))[0], id);
    });
  }

  test('R1.04 the scenario narrows the candidates, and says by how much and why', async () => {
    const step = stepOf(await decideAmong('delete the file /data/old.log from the disk'), 'scenario');

    assert.equal(step.candidates.before, TOOLS.length);
    assert.ok(step.candidates.after < step.candidates.before);
    assert.ok(step.evidence.includes('file'));
    assert.match(step.notes?.[0] ?? '', /kept with less weight/);
  });

  test('R1.04 a quoted text is a value and does not decide the scenario', async () => {
    assert.deepEqual(await scenarioIds("what is the hash of 'crop the photo, make the video shorter'?"), []);
    assert.equal((await scenarioIds("crop the photo 'restart the server process'"))[0], 'media_processing');
  });

  test('R1.04 a wrong scenario does not lose the right tool', async () => {
    const mixed = 'the photo of my file server: convert 20 USD to EUR';

    assert.equal((await decideAmong(mixed)).tool, 'convert_currency');
  });
});

describe('step 2, the intent', () => {
  for (const [task, id] of [
    ['show me the weather in Oslo', 'read'],
    ['please save this text to notes.txt', 'write'],
    ['create a calendar event', 'create'],
    ['could you remove the old backups?', 'delete'],
    ['find papers on gravity', 'search'],
    ['convert 10 dollars to euros', 'convert'],
    ['compute the sum of 3 and 4', 'calculate'],
    ['compare these two pictures', 'compare'],
    ['send a message to Ann', 'send'],
    ['读取这个文件', 'read'],
    ['把内容写入文件', 'write'],
    ['新建一个日程', 'create'],
    ['删除旧文件', 'delete'],
    ['搜索相关论文', 'search'],
    ['把美元转换成欧元', 'convert'],
  ] as const) {
    test(`R1.05 ${task} has the intent ${id}`, async () => {
      assert.equal(await intentOf(task), id);
    });
  }
});

describe('steps 3 and 4, match and evaluate', () => {
  for (const [task, name] of [
    ['read the contents of /etc/hosts', 'read_file'],
    ['send an email to ann@example.org about the meeting', 'send_email'],
    ['what is the mean of 3, 5 and 10?', 'column_mean'],
    ['book a flight from Paris to Rome on 2024-06-01', 'book_flight'],
    ['读取文件 /etc/hosts 的内容', 'read_file'],
    ['给 ann@example.org 发送邮件', 'send_email'],
    ['明天北京的天气怎么样', 'get_weather'],
    ['把文本“你好，世界”翻译成英语', '翻译文本'],
  ] as const) {
    test(`R1.06 R1.07 ${task} chooses ${name}`, async () => {
      const decision = await decideAmong(task, { now: NOW });

      assert.equal(decision.tool, name);
      assert.ok((stepOf(decision, 'match').decided as { tool: string }[]).some((each) => each.tool === name));
    });
  }

  test('R1.07 a choice gives its reasons: fit, parameters, cost and success', async () => {
    const priced = TOOLS.map((each) => (each.name === 'search_papers' ? { ...each, price_micros: 2000 } : each));
    const deps = depsOf(priced, { usage: { stats: () => ({ calls: 40, successRate: 0.5, meanMs: 900 }) } });

    const decision = await decideAmong('search papers on black holes', {}, deps);

    assert.equal(decision.tool, 'search_papers');
    for (const part of [/^fit /, /1 of 1 required/, /costs 2000/, /50 % of 40 calls/, /takes 900 ms/]) {
      assert.match(decision.reason.split('; ').find((reason) => part.test(reason)) ?? '', part);
    }
  });

  test('R1.07 of two equal tools the cheaper one is chosen', async () => {
    const twins = [
      tool('thesaurus_dear', 'Find synonyms of a word', {}, [], { price_micros: 500_000 }),
      tool('thesaurus_plain', 'Find synonyms of a word'),
    ];

    assert.equal((await decideAmong('find synonyms of a word', {}, depsOf(twins))).tool, 'thesaurus_plain');
  });

  test('allowed and candidates limit the choice', async () => {
    const task = 'delete the file a.txt';

    assert.equal(
      (await decideAmong(task, { allowed: ['read_file', 'write_file'] })).alternatives.some(
        (each) => each.tool === 'file_delete',
      ),
      false,
    );
    const named = await decideAmong(task, { candidates: ['book_flight'] });
    assert.equal(named.tool, null);
    assert.equal(named.alternatives[0]?.tool, 'book_flight');
  });

  test('the same question has the same answer, whatever the order of registration', async () => {
    const task = 'send ann@example.org the weather in Boston';

    const one = await decideAmong(task);
    const other = await decideAmong(task, {}, depsOf(TOOLS.toReversed()));

    assert.deepEqual(one, other);
  });
});

describe('matching by meaning', () => {
  const deps = depsOf([
    ...TOOLS,
    tool('quake_feed', 'Real-time earthquake notifications'),
    tool('chef_ideas', 'Recipes and cooking tips'),
  ]);

  for (const [task, name] of [
    ['were there strong tremors near the volcano', 'quake_feed'],
    ['what can I bake for dessert tonight', 'chef_ideas'],
    ['suggest a tasty vegetarian meal', 'chef_ideas'],
  ] as const) {
    test(`"${task}" matches ${name}, with which it shares no word`, async () => {
      const { tool: chosen, alternatives } = await decideAmong(task, {}, deps);

      assert.equal(chosen ?? alternatives[0]?.tool, name);
    });
  }
});

describe('no tool fits', () => {
  for (const task of ['who painted the ceiling of the chapel', 'sing me a lullaby', '谁是最伟大的画家', 'qwertyuiop']) {
    test(`"${task}" has no tool, with a reason`, async () => {
      const decision = await decideAmong(task);

      assert.equal(decision.tool, null);
      assert.equal(decision.ready, false);
      assert.match(decision.reason, /no tool/);
      assert.deepEqual(decision.arguments, {});
    });
  }

  test('a decision without a match names the nearest candidates', async () => {
    const decision = await decideAmong('what is the best pizza in the city?', { top: 2 });

    assert.equal(decision.tool, null);
    assert.ok(decision.alternatives.length > 0 && decision.alternatives.length <= 2);
  });
});

describe('alternatives', () => {
  test('R1.07 the chances of all tools to be the right one add up to at most 1, and the chosen tool has the highest', async () => {
    for (const task of ['read the file /etc/hosts', 'find flights to Rome', 'book a table in the city tomorrow']) {
      const { alternatives = [] } = stepOf(await decideAmong(task), 'evaluate') as EvaluateStep;
      const chances = alternatives.map(({ confidence }) => confidence);

      assert.ok(alternatives.length > 1);
      // Each is rounded to three digits.
      assert.ok(chances.reduce((sum, chance) => sum + chance, 0) <= 1 + chances.length * 0.0005);
      assert.deepEqual(
        chances,
        chances.toSorted((one, other) => other - one),
      );
      assert.ok(alternatives.every(({ confidence, fits }) => confidence <= Math.max(fits, chances[0] ?? 0)));
    }
  });

  test('R1.07 two tools that both fit a request share its chance instead of each claiming it', async () => {
    const twin = (name: string) => tool(name, 'Translate a text into another language', { text: { type: 'string' } });
    const decision = await decideAmong(
      'translate "good morning" please',
      {},
      depsOf([twin('north_translate'), twin('south_translate')]),
    );
    const [first, second] = (stepOf(decision, 'evaluate') as EvaluateStep).alternatives;

    assert.ok(first && second);
    assert.ok(first.confidence - second.confidence < 0.05);
    assert.ok(first.confidence <= 0.5);
    assert.ok(first.fits > 0.5);
  });
});

describe('the drafted call', () => {
  test('a draft with every argument is ready', async () => {
    const decision = await decideAmong('read the file /etc/hosts');

    assert.deepEqual(decision.arguments, { path: '/etc/hosts' });
    assert.equal(decision.valid, true);
    assert.equal(decision.ready, true);
  });

  test('R1.08 a draft that lacks a required argument asks for it and is not ready', async () => {
    const decision = await decideAmong('send an email to my landlord');

    assert.equal(decision.tool, 'send_email');
    assert.deepEqual(
      decision.missing.map(({ parameter }) => parameter),
      ['to'],
    );
    assert.match(decision.missing[0]?.question ?? '', /to\?.*recipient/i);
    assert.equal(decision.valid, false);
    assert.equal(decision.ready, false);
  });

  test('R1.08 the question is in Chinese when the task is Chinese', async () => {
    const decision = await decideAmong('发送邮件');

    assert.equal(decision.tool, 'send_email');
    assert.match(decision.missing[0]?.question ?? '', /^请提供/);
  });

  test('a draft with an uncertain argument is not ready', async () => {
    const decision = await decideAmong('search papers, you know what I mean, the usual thing');

    assert.equal(decision.tool, 'search_papers');
    assert.equal(decision.ready, false);
    assert.ok(decision.missing.length > 0 || decision.doubts.length > 0);
  });

  test('R1.08 arguments are taken from the request first, then from the context', async () => {
    const context = { to: 'bob@example.org', unrelated: 1 };

    assert.deepEqual((await decideAmong('send an email', { context })).arguments, { to: 'bob@example.org' });
    assert.deepEqual((await decideAmong('send an email to ann@example.org', { context })).arguments, {
      to: 'ann@example.org',
    });
  });

  test('R1.08 drafted arguments that break the schema are reported', async () => {
    const strict = [
      tool(
        'set_volume',
        'Set the volume of the speaker',
        { level: { type: 'integer', maximum: 10, description: 'The volume level' } },
        ['level'],
      ),
    ];

    const decision = await decideAmong('set the volume of the speaker to level 70', {}, depsOf(strict));

    assert.deepEqual(decision.arguments, { level: 70 });
    assert.equal(decision.valid, false);
    assert.equal(decision.ready, false);
    assert.match(decision.notes.join(), /invalid: level/);
  });
});

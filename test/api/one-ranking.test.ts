import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { connectClient } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  weather_forecast: 'Tells whether it will rain and how warm it gets in a city',
  convert_money: 'Converts an amount from one currency to another',
  translate_text: 'Translates a text into another language',
  book_table: 'Reserves a table in a restaurant',
  cancel_booking: 'Cancels the reservation of a restaurant table',
  find_flights: 'Finds flights between two airports',
};

describe('one ranking everywhere', () => {
  let given: TestAssay;
  before(async () => {
    given = await testAssay();
    for (const [name, description] of Object.entries(DESCRIPTIONS))
      await given.json('POST', '/v1/tools', aTool({ name, description }));
  });

  const decided = async (task: string): Promise<string | null> => {
    const { body } = await given.json<{ tool: string | null; alternatives: { tool: string }[] }>('POST', '/v1/decide', {
      task,
    });
    return body.tool ?? body.alternatives[0]?.tool ?? null;
  };
  const listed = async (query: string): Promise<readonly string[]> => {
    const { body } = await given.json<{ tools: { spec: { name: string } }[] }>(
      'GET',
      `/v1/tools?q=${encodeURIComponent(query)}&limit=3`,
    );
    return body.tools.map(({ spec }) => spec.name);
  };

  for (const [task, wanted] of [
    ['is it going to rain in Bergen', 'weather_forecast'],
    ['how much is 20 dollars in yen', 'convert_money'],
    ['cancel our dinner reservation', 'cancel_booking'],
    ['把这段文字翻译成法语', 'translate_text'],
    ['明天会下雨吗', 'weather_forecast'],
  ] as const) {
    test(`X.10 the list, find_tools and the decision put the same tool first for: ${task}`, async () => {
      const client = await connectClient(given.app, ADMIN_KEY, { era: 'legacy', path: '/mcp?mode=search' });
      const found = await client.callTool({ name: 'find_tools', arguments: { query: task, limit: 3 } });
      await client.close();
      assert.equal((await listed(task))[0], wanted);
      assert.equal(await decided(task), wanted);
      assert.equal((found.structuredContent as { tools: { name: string }[] }).tools[0]?.name, wanted);
    });
  }
});

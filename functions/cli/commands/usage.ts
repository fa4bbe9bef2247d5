import type { MonthUsage } from '../../../shared/execute/billing/usage.ts';
import type { Verification } from '../../../shared/execute/billing/verify-usage.ts';
import { type Cli, type Command, flag, option, textOption } from '../command.ts';
import { keyNames } from '../key-names.ts';
import { dollars, formatTable } from '../output.ts';

export const usage: Command = {
  usage: 'usage [--month 2026-11] [--csv|--jsonl] [--verify [--settle]]',
  summary: 'Shows calls and cost by key and tool',
  options: {
    month: option('MONTH', 'such as 2026-11; this one unless given'),
    csv: flag('one line for each key and tool'),
    jsonl: flag('one JSON object for each key and tool'),
    verify: flag('checks that the ledger adds up to the counters'),
    settle: flag('corrects the counters to what the ledger says'),
  },
  async run(cli) {
    const month = textOption(cli, 'month');
    const query = new URLSearchParams();
    if (month !== undefined) query.set('month', month);
    if (cli.values.verify || cli.values.settle) return verify(cli, query);
    const api = await cli.api();
    if (cli.values.csv || cli.values.jsonl) {
      query.set('format', cli.values.csv ? 'csv' : 'jsonl');
      process.stdout.write(await (await api.fetch(`/v1/usage?${query}`)).text());
      return 0;
    }
    const used = await api.json<MonthUsage>('GET', `/v1/usage?${query}`);
    const nameOf = cli.output.json ? String : await keyNames(api);
    cli.output.result(used, () => usageTable(used, nameOf));
    return 0;
  },
};

const verify = async (cli: Cli, query: URLSearchParams): Promise<number> => {
  const method = cli.values.settle ? 'POST' : 'GET';
  const proof = await (await cli.api()).json<Verification>(method, `/v1/usage/verification?${query}`);
  cli.output.result(proof, () =>
    [
      `${proof.month}: ${proof.rows} rows, ${proof.ledger.calls} charged calls, ${dollars(proof.ledger.micros)}`,
      ...proof.settled.map((key) => `settled ${key}`),
      ...proof.differences.map(
        ({ key_id, what, ledger, stored, why }) =>
          `DIFFERS ${key_id} ${what}: ledger ${ledger.calls} calls ${ledger.micros}, stored ${stored.calls} calls ${stored.micros}: ${why}`,
      ),
      ...(proof.moving ?? []).map((key) => `${key} is being used; look at it again`),
      proof.closed ? `closed, archived ${proof.closed.archived_at}, sha256 ${proof.closed.checksum}` : '',
      proof.differences.length === 0 && !proof.closed ? 'the ledger sums to the counters' : '',
    ]
      .filter((line) => line !== '')
      .join('\n'),
  );
  return proof.differences.length === 0 ? 0 : 1;
};

const usageTable = ({ month, calls, micros, keys }: MonthUsage, nameOf: (id: string) => string): string => {
  const rows = keys.flatMap(({ key_id, tools }) => tools.map((tool) => ({ key_id, ...tool })));
  const table = formatTable(rows, [
    { title: 'KEY', value: ({ key_id }) => nameOf(key_id) },
    { title: 'TOOL', value: ({ tool }) => tool },
    { title: 'CALLS', right: true, value: (row) => String(row.calls) },
    { title: 'COST', right: true, value: (row) => (row.unpriced ? 'unpriced' : dollars(row.micros)) },
  ]);
  return rows.length === 0 ? `nothing used in ${month}` : `${table}\n${month}: ${calls} calls, ${dollars(micros)}`;
};

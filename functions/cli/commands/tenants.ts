import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TenantDeletion } from '../../../shared/access/delete-tenant.ts';
import { readFault } from '../../client/read-fault.ts';
import { ask } from '../ask.ts';
import { type Command, flag, option, required, textOption, UsageError } from '../command.ts';
import { dollars, formatTable } from '../output.ts';

interface Tenant {
  readonly tenant: string;
  readonly keys: number;
  readonly calls: number;
  readonly micros: number;
}

export const listTenantsCommand: Command = {
  usage: 'tenants list',
  summary: 'Lists tenants with their keys and what they used this month',
  examples: ['tenants list', 'keys create --tenant north --scopes tenant_admin --name north'],
  async run(cli) {
    const api = await cli.api();
    const tenants: Tenant[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page = await api.json<{ tenants: readonly Tenant[]; next_cursor?: string }>('GET', `/v1/tenants${query}`);
      tenants.push(...page.tenants);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    cli.output.result({ tenants }, () =>
      formatTable(tenants, [
        { title: 'TENANT', value: ({ tenant }) => tenant },
        { title: 'KEYS', right: true, value: ({ keys }) => String(keys) },
        { title: 'CALLS', right: true, value: ({ calls }) => String(calls) },
        { title: 'COST', right: true, value: ({ micros }) => dollars(micros) },
      ]),
    );
    return 0;
  },
};

export const exportTenantCommand: Command = {
  usage: 'tenants export TENANT [--out FILE] [--pictures]',
  summary: 'Writes all that is stored of a tenant as JSON Lines, without secrets',
  options: {
    out: option('FILE', 'where it is written, instead of the output'),
    pictures: flag('with the bytes of pictures'),
  },
  async run(cli) {
    const tenant = required(cli, 0, 'TENANT');
    const query = cli.values.pictures ? '?pictures=true' : '';
    const response = await (await cli.api()).fetch(`/v1/tenants/${encodeURIComponent(tenant)}/export${query}`);
    if (!response.ok || !response.body) throw await readFault(response);
    const file = textOption(cli, 'out');
    const lines = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    if (file === undefined) await pipeline(lines, process.stdout, { end: false });
    else {
      await pipeline(lines, createWriteStream(file, { mode: 0o600 }));
      cli.output.result({ tenant, file }, () => `${tenant} written to ${file}`);
    }
    return 0;
  },
};

export const deleteTenantCommand: Command = {
  usage: 'tenants delete TENANT [--yes]',
  summary: 'Removes a tenant for good: keys, tools, records, pictures; and says what is kept',
  options: { yes: flag('does not ask for the name') },
  async run(cli) {
    const tenant = required(cli, 0, 'TENANT');
    if (cli.values.yes !== true && (await ask(`Remove all of ${tenant} for good? Type its name: `)) !== tenant)
      throw new UsageError('Nothing was removed. Type the name of the tenant, or say --yes where nobody can be asked.');
    const api = await cli.api();
    const path = `/v1/tenants/${encodeURIComponent(tenant)}?confirm=${encodeURIComponent(tenant)}`;
    let done = await api.json<TenantDeletion>('DELETE', path);
    while (!done.complete) done = addUp(done, await api.json<TenantDeletion>('DELETE', path));
    cli.output.result(
      done,
      () =>
        `removed ${tenant}: ${done.keys_revoked} keys revoked, ${done.items_removed} items, ${done.blobs_removed} files; ` +
        `kept ${done.kept.items} items: ${done.kept.why}`,
    );
    return 0;
  },
};

const addUp = (before: TenantDeletion, next: TenantDeletion): TenantDeletion => ({
  ...next,
  keys_revoked: before.keys_revoked + next.keys_revoked,
  items_removed: before.items_removed + next.items_removed,
  blobs_removed: before.blobs_removed + next.blobs_removed,
});

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TenantDeletion } from '../../../shared/access/delete-tenant.ts';
import { readFault } from '../../client/read-fault.ts';
import { ask } from '../ask.ts';
import { type Command, required, textOption, UsageError } from '../command.ts';

export const exportTenantCommand: Command = {
  usage: 'tenants export TENANT [--out FILE] [--pictures]',
  summary:
    'Writes all that is stored of a tenant as JSON Lines, without secrets; --pictures with the bytes of pictures',
  options: { out: { type: 'string' }, pictures: { type: 'boolean' } },
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
  summary: 'Removes a tenant for good: keys, tools, records, pictures; what must be kept is told',
  options: { yes: { type: 'boolean' } },
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

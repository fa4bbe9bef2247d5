import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandRunner, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('an operator gives keys to two tenants and sees, by the keys’ names, what each used', async (t) => {
  const { run, stop, address, cwd } = await serveCli(await temporaryDirectory(t));
  t.after(() => stop());
  const runIn = commandRunner(t);
  const keyOf = async (tenant: string): Promise<string> => {
    const made = await run('keys', 'create', '--tenant', tenant, '--name', `agents of ${tenant}`, '--json');
    return (JSON.parse(made.stdout) as { key: string }).key;
  };
  const asKey = { cwd, env: { ASSAY_URL: address, ASSAY_KEY: await keyOf('north') } };
  await keyOf('south');

  assert.equal((await runIn(['invoke', 'hash', 'text=a'], asKey)).code, 0);

  const tenants = (await run('tenants', 'list')).stdout;
  assert.match(tenants, /^TENANT +KEYS +CALLS +COST\n/);
  assert.match(tenants, /north +1 +1 +\$0\.000010\n/);
  assert.match(tenants, /south +1 +0 +\$0\.000000\n/);
  assert.match((await run('usage', '--tenant', 'north')).stdout, /\nagents of north +hash +1 /);
  assert.match((await run('executions', '--tenant', 'north')).stdout, /agents of north/);
  assert.match((await run('usage', '--tenant', 'south')).stdout, /^nothing used/);
  // A key that may not list keys sees its own id.
  assert.match((await runIn(['usage'], asKey)).stdout, /\n01[0-9a-z]{24} +hash +1 /);
  const refused = await runIn(['tenants', 'list'], asKey);
  assert.deepEqual([refused.code, /this call needs admin/.test(refused.stderr)], [1, true]);
});

import { main } from '../../functions/cli/main.ts';
import { endWithParent } from '../../shared/adapters/node/orphan-watch.ts';
import type { HostedCommand } from './hosted-commands.ts';

/** Runs commands one after another, as separate processes would; their output is collected and sent. */
endWithParent();
const printed = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const)
  Object.assign(process[name], {
    write(part: string | Uint8Array, ...rest: readonly unknown[]): boolean {
      printed[name] += typeof part === 'string' ? part : Buffer.from(part).toString();
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    },
  });

process.on('message', async ({ args, cwd, env }: HostedCommand) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.assign(printed, { stdout: '', stderr: '' });
  const code = await main(args);
  process.send?.({ code, ...printed });
});

import { setTimeout as wait } from 'node:timers/promises';
import { judge, printTable, summary } from './report.ts';
import { attacks } from './support/attacks.ts';
import { around } from './support/connection-attacks.ts';
import { politely } from './support/polite.ts';
import { type WatchedServer, watchServer } from './support/watched-server.ts';

const MOST_MEMORY_MB = 1536;
const MOST_STALL_MS = 250;
const MOST_AGAINST_ALONE = 5;

/**
 * Runs every attack beside a polite client of another tenant, on a real server: `npm run bench -- attack [seconds]
 * [names]`, the names as a regular expression. The client first runs alone, then beside the attack for as long, or
 * until the attack ends, so that both runs see the same machine and enough calls: the p99 of a few calls is their
 * maximum, which says nothing on a busy machine.
 */
export async function bench([given = '3', only = '']: readonly string[]): Promise<void> {
  const seconds = Number(given);
  const wanted = new RegExp(only);
  const server = await watchServer();
  const rows = [];
  try {
    const polite = await server.key('polite', ['read', 'invoke'], { per_second: 10_000, burst: 10_000 });
    for (const [name, attack] of Object.entries(attacks())) {
      if (!wanted.test(name)) continue;
      const loud = await server.key('loud', ['read', 'invoke', 'write', 'tenant_admin']);
      await around[name]?.before(server, loud);
      // There is only one first decision after a start, so it has no measurement alone.
      const alone = name === 'first decision' ? [1] : await aloneFor(server, polite, seconds);
      const watch = watchMemory(server);
      const under = await politely(server.address, polite);
      const [since, isOver] = [Date.now(), wait(seconds * 1000)];
      const told = await attack(server, loud);
      await isOver;
      const [p99, p99Alone] = [summary((await under()).product).p99, summary(alone).p99];
      const row = {
        attack: name,
        'p99 ms': p99,
        'against alone': Number((p99 / p99Alone).toFixed(1)),
        'longest turn ms': await server.longestTurn(since),
        'peak MB': await watch(),
        told: [...new Set(told.map(({ status, says }) => `${status} ${says}`))].join(' / ').slice(0, 70),
        'charged micros': told.reduce((sum, { charged }) => sum + charged, 0),
      };
      await around[name]?.after(server, loud);
      rows.push(row);
      console.info(JSON.stringify(row));
    }
    printTable(rows);
    const measured = rows.filter((row) => row.attack !== 'first decision');
    judge(
      `the polite client's p99 stays within ${MOST_AGAINST_ALONE}x of its p99 alone`,
      measured.every((row) => row['against alone'] <= MOST_AGAINST_ALONE),
    );
    judge(
      `no turn of the event loop takes ${MOST_STALL_MS} ms of the processor`,
      rows.every((row) => row['longest turn ms'] < MOST_STALL_MS),
    );
    judge(
      `server and children stay below ${MOST_MEMORY_MB} MB`,
      rows.every((row) => row['peak MB'] < MOST_MEMORY_MB),
    );
    judge('the server was not restarted', server.isRunning());
  } finally {
    await server.stop();
  }
}

const aloneFor = async (server: WatchedServer, key: string, seconds: number): Promise<readonly number[]> => {
  const times = await politely(server.address, key);
  await wait(seconds * 1000);
  return (await times()).product;
};

const watchMemory = (server: WatchedServer): (() => Promise<number>) => {
  let most = 0;
  const look = async (): Promise<void> => {
    most = Math.max(most, await server.memory());
  };
  const timer = setInterval(() => void look(), 100);
  return async () => {
    clearInterval(timer);
    await look();
    return Math.round(most);
  };
};

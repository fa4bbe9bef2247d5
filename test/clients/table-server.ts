import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runAssay, serveAssay } from '../support/process.ts';
import { bearer, type Target } from './tried.ts';

interface TableServer extends Target {
  /** A person with an approving key says yes to a question. */
  approve(id: string): Promise<Response>;
  /** The same, of whatever shall write a file, as a question of its own or as a node of a run. */
  approveWriting(path: string): Promise<void>;
  close(): Promise<void>;
}

interface Asked {
  readonly id: string;
  readonly state: string;
  readonly arguments?: { readonly path?: string };
}

interface Run {
  readonly run_id: string;
  readonly plan_id: string;
  readonly nodes: readonly { readonly id: string; readonly status: string }[];
}

const MOST_TRIES = 600;

/** A server of its own, and the key of an agent that may not consent. */
export const startTableServer = async (): Promise<TableServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-table-'));
  const server = await serveAssay({ cwd: folder });
  const url = server.address;
  const adminKey = server.adminKey ?? '';
  const admin = ['--url', url, '--key', adminKey];
  const made = await runAssay(['keys', 'create', '--scopes', 'read,invoke', '--json', ...admin], { cwd: folder });
  const { key } = JSON.parse(made.stdout) as { key: string };

  const ask = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${url}${path}`, { headers: bearer(adminKey) })).json()) as T;
  const say = (path: string, body: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...bearer(adminKey), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const approve = (id: string): Promise<Response> => say('/v1/confirmations', { id, approve: true });

  const approveOnce = async (path: string): Promise<boolean> => {
    const { confirmations } = await ask<{ confirmations: readonly Asked[] }>('/v1/confirmations');
    const asked = confirmations.find((each) => each.state === 'pending' && each.arguments?.path === path);
    if (asked) return (await approve(asked.id)).ok;
    const { runs } = await ask<{ runs: readonly Run[] }>('/v1/runs?status=running');
    for (const { run_id } of runs) {
      const { nodes, plan_id } = await ask<Run>(`/v1/runs/${run_id}`);
      const node = nodes.find(({ status }) => status === 'waiting_approval');
      const plan = JSON.stringify(await ask(`/v1/plans/${plan_id}`));
      if (node && plan.includes(JSON.stringify(path)))
        return (await say(`/v1/runs/${run_id}/nodes/${node.id}/confirm`, { approve: true })).ok;
    }
    return false;
  };

  return {
    url,
    key,
    approve,
    async approveWriting(path) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        if (await approveOnce(path)) return;
        await wait(100);
      }
      throw new Error(`nobody was asked about ${path}`);
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
};

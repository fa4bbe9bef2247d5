import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Clients that are too large for every installation: tried by `npm run clients`, in a folder of their own. */
const packages = ['@langchain/core@1.2.13', '@langchain/langgraph@1.4.10', '@langchain/mcp-adapters@1.1.4'] as const;

const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'));
mkdirSync(join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{"private": true}');
const install = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...packages];
const installed = spawnSync('npm', install, { cwd: folder, stdio: 'inherit' });
const tests = ['connect.test.ts', 'client-table.test.ts', 'client-tasks.test.ts'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
const env = { ...process.env, ASSAY_CLIENTS: join(folder, 'node_modules') };
const tried =
  installed.status === 0 ? spawnSync(process.execPath, ['--test', ...tests], { env, stdio: 'inherit' }) : installed;
rmSync(folder, { recursive: true });
process.exitCode = tried.status ?? 1;

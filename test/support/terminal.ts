import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));

/** Why terminal tests are skipped here, or false. */
export const noTerminal =
  spawnSync('script', ['--version']).status === 0 ? false : 'no script command to make a terminal with';

/** Runs a command in a terminal 100 columns wide, answers its question and returns everything that was shown. */
export const atTerminal = async (cwd: string, command: string, answer?: string): Promise<string> => {
  const line = `stty cols 100; '${process.execPath}' '${entry}' ${command}`;
  const env = { ...process.env, XDG_CONFIG_HOME: '/nonexistent', NO_COLOR: '1' };
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env });
  let [shown, isAnswered] = ['', false];
  child.stdout.on('data', (part) => {
    shown += String(part);
    if (answer === undefined || isAnswered || !shown.includes('[y/N]')) return;
    isAnswered = true;
    child.stdin.write(`${answer}\n`);
  });
  await once(child, 'close');
  return shown;
};

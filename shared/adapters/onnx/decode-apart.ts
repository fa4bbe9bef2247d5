import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Pixels } from '../../iqa/pixels.ts';
import { Fault } from '../../kernel/errors.ts';
import { cleanEnvironment } from '../node/clean-environment.ts';
import { DECODE_SECONDS } from './pixel-pipeline.ts';
import { type Allocate, readSpooled } from './spool.ts';

/** What the child says of the pixels it wrote. */
export interface Spooled {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/**
 * Decodes a large picture in a process of its own, through a file: whatever the decoder does, it can be ended at its
 * time-out, and all of its memory goes back to the system with it.
 */
export async function decodeApart(
  child: string,
  bytes: Uint8Array,
  ignoreIcc: boolean,
  allocate: Allocate,
  seconds = DECODE_SECONDS + 5,
): Promise<Pixels> {
  const path = join(tmpdir(), `assay-${randomUUID()}.v`);
  const decoder = spawn(process.execPath, ['--no-warnings', child, path, String(ignoreIcc)], {
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
    env: cleanEnvironment(),
  });
  try {
    const [said, failed] = [text(decoder.stdout), text(decoder.stderr)];
    const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
      decoder.on('error', reject);
      decoder.on('close', (code, signal) => resolve(signal ?? code));
    });
    // It may end before it has read all; how it ended is told below.
    decoder.stdin.on('error', () => {});
    decoder.stdin.end(bytes);
    const end = await ended;
    if (end === 'SIGKILL') throw tooSlow(seconds);
    if (end !== 0) throw new Error((await failed).trim().split('\n')[0] || `the decoder ended with ${end}`);
    const { width, height, channels } = JSON.parse(await said) as Spooled;
    if (channels !== 3) throw new Error(`${channels} channels instead of 3`);
    return { width, height, data: await readSpooled(allocate(width * height * 3), path) };
  } finally {
    decoder.kill('SIGKILL');
    await rm(path, { force: true });
  }
}

const tooSlow = (seconds: number): Fault =>
  new Fault('InvalidInput', `the picture was not decoded within ${seconds} s; send a smaller one`, {
    limit_seconds: seconds,
  });

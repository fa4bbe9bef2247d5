import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { callReader, type ModelCall, parseCalls } from '../../shared/providers/index.ts';
import { eventsIn, plainReading } from './support/plain-reading.ts';

/** Recordings that lie beside the project; they are not part of it, so that without them there is nothing to do. */
const folder = ['../../..', '../../../..']
  .map((up) => fileURLToPath(new URL(`${up}/shared/data/responses`, import.meta.url)))
  .find((path) => existsSync(path));
const files = folder === undefined ? [] : readdirSync(folder);

const BY_PACKAGE: readonly (readonly [RegExp, string])[] = [
  [/^amazon-bedrock/, 'bedrock'],
  [/^anthropic/, 'anthropic'],
  [/^cohere/, 'cohere'],
  [/^google/, 'gemini'],
  [/^mistral/, 'mistral'],
  [/--responses--/, 'openai-responses'],
  [/./, 'openai'],
];

const providerOf = (file: string): string => BY_PACKAGE.find(([pattern]) => pattern.test(file))?.[1] ?? 'openai';

const inPieces = (provider: string, bytes: Buffer, size: number): readonly ModelCall[] => {
  const reader = callReader(provider);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return reader.end();
};

test('X.23 recorded responses and streams of real providers parse without errors', {
  skip: files.length === 0,
}, (t) => {
  const faults: string[] = [];
  let calls = 0;
  for (const file of files) {
    const provider = providerOf(file);
    const bytes = readFileSync(join(folder ?? '', file));
    const text = bytes.toString();
    const parsed = parseCalls(provider, text);
    calls += parsed.length;
    const expect = (isTrue: boolean, what: string): void => {
      if (!isTrue) faults.push(`${file}: ${what}`);
    };
    for (const { name, error } of parsed) expect(error === undefined, `${name}: ${error?.message}`);
    const expected = plainReading(eventsIn(text));
    expect(
      isSame(
        parsed.map(({ name }) => name),
        expected.map(([name]) => name),
      ),
      `${expected.length} calls expected`,
    );
    for (const [at, [name, values]] of expected.entries())
      expect(values === undefined || isSame(parsed[at]?.arguments, values), `${name} with ${JSON.stringify(values)}`);
    expect(isSame(parseCalls(provider, eventsIn(text)), parsed), 'by event');
    for (const size of [1, 7, 1021]) expect(isSame(inPieces(provider, bytes, size), parsed), `in pieces of ${size}`);
    for (let part = 1; part < 20; part += 1) {
      const early = parseCalls(provider, bytes.subarray(0, Math.floor((bytes.length * part) / 20)));
      const isSafe = early.every((call, at) => call.error !== undefined || isSame(call, parsed[at]));
      expect(isSafe, `ends early at ${part}/20`);
    }
  }
  t.diagnostic(`${files.length} recordings, ${calls} calls, ${faults.length} faults`);
  assert.deepEqual(faults, []);
});

const isSame = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
};

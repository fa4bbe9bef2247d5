import { glob } from 'node:fs/promises';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { requirements } from '../requirements.ts';

/** Prints requirement -> tests -> result, and fails when one has no passing test. */

interface Result {
  readonly name: string;
  readonly passed: boolean;
}

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const files = await Array.fromAsync(glob('test/**/*.test.ts', { cwd }));
const results: Result[] = [];
const stream = run({ files: files.sort(), cwd, concurrency: 2 });
stream.on('test:pass', ({ name, details, skip }) => {
  if (details.type !== 'suite' && skip === undefined) results.push({ name, passed: true });
});
stream.on('test:fail', ({ name, details }) => {
  if (details.type !== 'suite') results.push({ name, passed: false });
});
for await (const _ of stream);

// `R4.09` is the whole of `R4.09a` to `R4.09g`: its parts' tests are its own.
const testsOf = (id: string): readonly Result[] =>
  results.filter(({ name }) =>
    new RegExp(`(^|\\s)${id.replace('.', '\\.')}${id === 'R4.09' ? '[a-g]?' : ''}(?![\\w.])`).test(name),
  );

let open = 0;
for (const [id, title] of Object.entries(requirements)) {
  const tests = testsOf(id);
  const met = tests.length > 0 && tests.every(({ passed }) => passed);
  if (!met) open++;
  console.log(`${id.padEnd(7)} ${met ? 'pass' : tests.length === 0 ? 'NONE' : 'FAIL'}  ${title}`);
  for (const { name, passed } of tests) console.log(`          ${passed ? 'ok  ' : 'FAIL'} ${name}`);
}
console.log(`\n${Object.keys(requirements).length - open} of ${Object.keys(requirements).length} requirements are met`);
process.exitCode = open === 0 ? 0 : 1;

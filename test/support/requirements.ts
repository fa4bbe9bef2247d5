import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { requirements } from '../requirements.ts';
import './sample-properties.ts';
import { apart, together } from './test-files.ts';

/**
 * Prints requirement -> tests -> result, and fails if a requirement has no passing test. A suite whose name has an id
 * counts for its tests. With ids as arguments, only these are checked: `npm run requirements -- X.02`.
 */

interface Result {
  readonly name: string;
  readonly passed: boolean;
}

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const asked = process.argv.slice(2);
const results: Result[] = [];
const gather = async (options: Parameters<typeof run>[0]): Promise<void> => {
  const stream = run({ cwd, ...options, ...(asked.length > 0 && { testNamePatterns: asked }) });
  stream.on('test:pass', ({ name, skip }) => {
    if (skip === undefined) results.push({ name, passed: true });
  });
  stream.on('test:fail', ({ name }) => results.push({ name, passed: false }));
  for await (const _ of stream);
};
await gather({ files: [...apart], concurrency: 2 });
await gather({ files: [...together], isolation: 'none' });

// `R4.09` consists of `R4.09a` to `R4.09g`, so tests of the parts count for it.
const testsOf = (id: string): readonly Result[] =>
  results.filter(({ name }) =>
    new RegExp(`(^|\\s)${id.replace('.', '\\.')}${id === 'R4.09' ? '[a-g]?' : ''}(?![\\w.])`).test(name),
  );

let open = 0;
const wanted = Object.entries(requirements).filter(([id]) => asked.length === 0 || asked.includes(id));
for (const [id, title] of wanted) {
  const tests = testsOf(id);
  const met = tests.length > 0 && tests.every(({ passed }) => passed);
  if (!met) open++;
  console.log(`${id.padEnd(7)} ${met ? 'pass' : tests.length === 0 ? 'NONE' : 'FAIL'}  ${title}`);
  for (const { name, passed } of tests) console.log(`          ${passed ? 'ok  ' : 'FAIL'} ${name}`);
}
console.log(`\n${wanted.length - open} of ${wanted.length} requirements are met`);
process.exitCode = open === 0 ? 0 : 1;

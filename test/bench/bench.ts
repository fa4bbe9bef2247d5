import { existsSync } from 'node:fs';

/** `npm run bench -- <area> [options]` runs one of the measurements beside this file, or several areas in turn. */
const given = process.argv.slice(2);
const isArea = (word: string): boolean =>
  /^[a-z][a-z-]*$/.test(word) && existsSync(new URL(`./${word}.ts`, import.meta.url));
// The areas come first; the `fit` of `iqa fit` is not an area but an argument of iqa.
const firstOption = given.findIndex((word) => !isArea(word));
const areas = firstOption < 0 ? given : given.slice(0, firstOption);
const [first] = given;
if (first === undefined || !isArea(first)) {
  console.error('usage: npm run bench -- <area>..., e.g. registry, iqa, providers, plan, decide, execute');
  process.exitCode = 2;
} else {
  // Options are passed on only if a single area is measured.
  const isAlone = areas.length === 1;
  for (const area of isAlone ? [first] : areas) {
    const { bench } = (await import(`./${area}.ts`)) as { bench: (args: readonly string[]) => Promise<void> };
    if (!isAlone) console.info(`\n${area}`);
    await bench(isAlone ? given.slice(1) : []);
  }
}

/** `npm run bench -- <area> [options]` runs one of the measurements beside this file. */
const [area, ...args] = process.argv.slice(2);
if (area === undefined || !/^[a-z-]+$/.test(area)) {
  console.error('usage: npm run bench -- <area>, e.g. registry, iqa, providers, plan, decide, execute');
  process.exitCode = 2;
} else {
  const { bench } = (await import(`./${area}.ts`)) as { bench: (args: readonly string[]) => Promise<void> };
  await bench(args);
}

export {};

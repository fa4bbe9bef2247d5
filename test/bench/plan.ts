import { benchCompile } from './plan-compile.ts';

/** `npm run bench -- plan [compile]`: how good, how fast and how valid plans are. */
export async function bench(args: readonly string[]): Promise<void> {
  const parts = { compile: benchCompile };
  for (const [name, run] of Object.entries(parts)) {
    if (args.length > 0 && !args.includes(name)) continue;
    console.log(`\n${name}`);
    await run();
  }
}

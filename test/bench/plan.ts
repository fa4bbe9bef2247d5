import { benchAsl } from './plan-asl.ts';
import { benchCompile } from './plan-compile.ts';
import { benchEngine } from './plan-engine.ts';

/** `npm run bench -- plan [compile|engine|asl] [count]`: quality, speed and validity of plans. */
export async function bench(args: readonly string[]): Promise<void> {
  const count = Number(args.find((one) => /^\d+$/.test(one)) ?? 1000);
  const parts = {
    compile: () => benchCompile(count),
    engine: () => benchEngine(),
    asl: () => benchAsl(count),
  };
  const wanted = args.filter((one) => Object.hasOwn(parts, one));
  for (const [name, run] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name}`);
    await run();
  }
}

import { callStreaming, lambdaContext, loadHandler } from '../../support/lambda.ts';

/** Starts a bundle as a new environment does, sends one event, and prints the wall and CPU time since process start. */
const [folder = '', mode = '', event = '{}'] = process.argv.slice(2);
type Handler = (event: unknown, context: unknown) => Promise<unknown>;
// Discards the function's log, so that it does not mix with the figures.
process.stdout.write = (() => true) as typeof process.stdout.write;
const handler = await loadHandler<Handler>(folder);
const ready = performance.now();
if (mode === 'stream') await callStreaming(handler as Parameters<typeof callStreaming>[0], JSON.parse(event));
else await Promise.resolve(handler(JSON.parse(event), lambdaContext())).catch(() => {});
const { user, system } = process.cpuUsage();
const answered = performance.now();
const modules = [...((globalThis as { assayModules?: ReadonlySet<string> }).assayModules ?? [])];
process.stderr.write(JSON.stringify({ ready, answered, processor: (user + system) / 1000, modules }));
process.exit(0);

import { endWithParent } from '../../shared/adapters/node/orphan-watch.ts';

/**
 * Stands in for the process of the builtins where a test is about who runs when, not about what: it loads nothing, so
 * it starts at once on a busy machine too. It loops for ever where the expression calls itself, and answers 2 otherwise.
 */
endWithParent();
process.on('message', ({ args }: { readonly args: string }) => {
  while (args.includes('$f('));
  process.send?.({ text: '{"result":2}', usage: { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 } });
});
process.send?.({ ready: true });

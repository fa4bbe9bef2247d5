import type { Arguments, Builtin } from '../../execute/builtins/builtin.ts';
import type { Handler } from '../../kernel/ports.ts';
import type { ChildPool } from './child-pool.ts';
import type { NodeGauge } from './gauge.ts';
import { runApart } from './run-apart.ts';

/** Above this many characters or steps a builtin would hold the server up. */
const LARGE = 16_384;

/**
 * The functions behind the builtins. Those whose time or memory their arguments do not bound, and large jobs, run in
 * a process that is ended at the timeout; the rest answer at once where they are, which is a hundred times cheaper.
 */
export const builtinHandlers = (
  builtins: Readonly<Record<string, () => Builtin>>,
  pool: ChildPool,
  gauge: Pick<NodeGauge, 'forCall'>,
): ReadonlyMap<string, Handler> =>
  new Map(
    Object.entries(builtins).map(([name, builtin]) => [
      name,
      {
        permission: 'safe',
        get parameters() {
          return builtin().definition.parameters;
        },
        async run(args, context) {
          const { work, run } = builtin();
          return isSmall(work, args) ? run(args) : runApart(pool, { name, args }, context, gauge);
        },
      },
    ]),
  );

// A count of steps looks at the arguments, so it is asked only where they are small themselves.
const isSmall = (work: Builtin['work'], args: Arguments): boolean =>
  work !== 'unbounded' && charactersOf(args, LARGE) < LARGE && (work === 'linear' || work(args) < LARGE);

/** How much text there is in a value; it stops counting once it is enough. */
const charactersOf = (value: unknown, enough: number): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let total = 0;
  for (const [name, field] of Object.entries(value)) {
    total += name.length + charactersOf(field, enough - total);
    if (total >= enough) break;
  }
  return total;
};

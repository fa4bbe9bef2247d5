import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type BuiltinImages, builtinTools } from '../../functions/compose/builtin-tools.ts';
import type { ChildPoolOptions } from '../../shared/adapters/node/child-pool.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import type { AssayPorts } from '../../shared/assay.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { Outcome } from '../../shared/model/call.ts';
import { type TestAssay, testAssay } from './assay.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { aTool } from './tools.ts';

export interface ToolsAssay extends TestAssay {
  /** The default tenant's files. */
  readonly files: string;
  invoke(tool: string, args: unknown, key?: string, more?: object): Promise<Invoked>;
}

export interface Invoked {
  readonly status: number;
  readonly body: Outcome & {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly details: Readonly<Record<string, never>>;
    };
  };
}

/** How long a test's call may wait for its process, which takes long to start on a busy machine. */
export const PATIENT_MS = 600_000;

/** The product with its builtin tools, on a memory table and a temporary folder. */
export const toolsAssay = async (
  test: { after(clean: () => Promise<void>): void },
  ports: Partial<AssayPorts> = {},
  pool: Partial<ChildPoolOptions> = {},
  images: BuiltinImages | undefined = undefined,
): Promise<ToolsAssay> => {
  const folder = await temporaryDirectory(test);
  const files = join(folder, 'files');
  await mkdir(files);
  const gauge = nodeGauge();
  const folderOf = (tenant: string) => (tenant === 'default' ? files : join(folder, tenant));
  const builtin = builtinTools({
    gauge,
    readImage: async () => undefined,
    folderOf,
    pool: { longestWaitMs: PATIENT_MS, ...pool },
    images,
  });
  test.after(async () => builtin.close());
  const made = await testAssay({
    gauge,
    handlers: { builtin: builtin.handlers, internal: new Map() },
    discover: async () => [
      { kind: 'shipped', source: 'assay', definitions: builtin.tools.map(({ define }) => define()) },
    ],
    ...ports,
  });
  return { ...made, files, invoke: invoker(made) };
};

/** One instance for all tests of a suite, because starting its processes may take longer than the tests. */
export const toolsForAll = (): (() => ToolsAssay) => {
  const cleaning: (() => Promise<void>)[] = [];
  let made: ToolsAssay | undefined;
  before(async () => {
    made = await toolsAssay({ after: (clean) => cleaning.push(clean) });
  });
  after(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });
  return () => {
    if (made === undefined) throw new Error('it is made before the first test');
    return made;
  };
};

/** Changes the time limit of a shipped tool, to make a test shorter or independent of the machine's load. */
export const giveTime = ({ catalogs }: Pick<ToolsAssay['assay'], 'catalogs'>, tool: string, seconds: number): void => {
  const of = catalogs.of.bind(catalogs);
  Object.assign(catalogs, {
    of: async (tenant: string) => {
      const held = await of(tenant);
      const entry = held.catalog.get(tool);
      if (entry)
        Object.assign(entry, { record: { ...entry.record, spec: { ...entry.record.spec, timeout_seconds: seconds } } });
      return held;
    },
  });
};

const invoker =
  ({ json }: TestAssay): ToolsAssay['invoke'] =>
  (tool, args, key, more = {}) =>
    json<never>('POST', `/v1/tools/${tool}/invoke`, { arguments: args, ...more }, key);

/** A registry whose tools are the given functions, each with its own name as handler. */
export const assayWith = async (
  functions: Readonly<Record<string, Handler['run']>>,
  { definition = {}, ...ports }: Partial<AssayPorts> & { readonly definition?: object } = {},
): Promise<TestAssay & Pick<ToolsAssay, 'invoke'>> => {
  const handlers = Object.entries(functions).map(([name, run]): [string, Handler] => [
    name,
    { permission: 'safe', run },
  ]);
  const made = await testAssay({
    gauge: nodeGauge(),
    handlers: { builtin: new Map(handlers), internal: new Map() },
    ...ports,
  });
  for (const name of Object.keys(functions))
    await made.json(
      'POST',
      '/v1/tools',
      aTool({
        name,
        handler: name,
        parameters: { type: 'object' },
        implementation: { type: 'builtin', handler: name },
        ...definition,
      }),
    );
  return { ...made, invoke: invoker(made) };
};

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transform } from 'esbuild';
import { lazyConstants } from '../../infra/build/lazy-constants.ts';

/** Runs a module with its lazy constants, and tells which schemas were made. */
const run = async (source: string): Promise<{ exports: Record<string, unknown>; made: string[] }> => {
  const { code } = await transform(source, { loader: 'ts', format: 'cjs', platform: 'node', target: 'node24' });
  const made: string[] = [];
  const schema = (name: string): object => ({ name, and: (more: string) => note(`${name}.${more}`) });
  const note = (name: string): object => {
    made.push(name);
    return schema(name);
  };
  const module = { exports: {} as Record<string, unknown> };
  const require = () => ({ make: note, stored: ({ of }: { of: { name: string } }) => note(`stored ${of.name}`) });
  new Function('module', 'require', await lazyConstants(code))(module, require);
  return { exports: module.exports, made };
};

describe('schemas in bundles are built lazily', () => {
  const source = `
    import * as z from 'zod';
    import { stored } from './stored.ts';
    const Text = z.make('text');
    const Long = Text.and('long');
    export const Unused = z.make('unused');
    export const Kind = stored({ of: Long });
    export const eager = [z.make('eager')];
    export const uses = (Text: string) => [Text, { Long }, eager.length];
  `;

  test('a bundled schema is built on first use, once, with those it needs', async () => {
    const { exports, made } = await run(source);
    assert.deepEqual(made, ['eager']);

    const first = exports.Kind;

    assert.deepEqual(made, ['eager', 'text', 'text.long', 'stored text.long']);
    assert.equal(exports.Kind, first);
    assert.equal(made.length, 4);
  });

  test('a lazy schema is the one its name refers to, not a variable that shadows it', async () => {
    const { exports } = await run(source);

    const [text, { Long }, length] = (exports.uses as (text: string) => [string, { Long: { name: string } }, number])(
      'a',
    );

    assert.equal(text, 'a');
    assert.equal(Long.name, 'text.long');
    assert.equal(length, 1);
  });

  test('a module with multi-line strings is left unchanged, since its lines may look like code', async () => {
    const { made } = await run(
      "import * as z from 'zod';\nexport const a = z.make('a');\nexport const b = `\nconst c = z.make(1);\n`;",
    );

    assert.deepEqual(made, ['a']);
  });
});

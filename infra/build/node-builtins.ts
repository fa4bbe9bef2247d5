import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Packages load Node's modules as `require` does. `import` reads every export of a module, and reading some loads more
 * code: of `node:crypto` the Web Cryptography API, of `node:fs` the streams.
 */
export const nodeBuiltins: Plugin = {
  name: 'node-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[\w:/]+$/, namespace: 'file' }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: BUILTIN, sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: BUILTIN }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

const BUILTIN = 'node-builtin';

const isBuiltin = (name: string): boolean => name.startsWith('node:') || builtinModules.includes(name);

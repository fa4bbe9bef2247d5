import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createDiscover } from '../../shared/adapters/files/discover.ts';
import type { Outcome } from '../../shared/model/call.ts';
import type { LoadReport } from '../../shared/registry/layer.ts';
import { testAssay } from '../support/assay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

const plugin = (name: string, answer: string): string => `
export const tools = [{
  definition: {
    name: '${name}', description: '${answer}', permission: 'safe',
    parameters: { type: 'object', properties: { word: { type: 'string' } } },
  },
  execute: async ({ word }) => '${answer} ' + word,
}];`;

/** A folder with a configuration, packages and plugins, as the test lays it out. */
const workspace = async (root: string, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return createDiscover({
    root,
    configFile: join(root, 'assay.config.json'),
    configRequired: false,
    pluginsDir: join(root, 'plugins'),
  });
};

const aPackage = (name: string, code: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, type: 'module', assay: { tools: './tools.js' } }),
  [`node_modules/${name}/tools.js`]: code,
});

describe('loading shipped and plugin tools', () => {
  test('R2.01 R2.02 tools from the configuration are registered; an invalid or repeated one is refused, the rest are loaded', async (t) => {
    const tools = [
      aTool({ name: 'first' }),
      aTool({ name: 'bad', description: 5 }),
      aTool({ name: 'first', description: 'Second' }),
      aTool({ name: 'http_one', implementation: { type: 'http' } }),
      aTool({ name: 'last' }),
    ];
    const discover = await workspace(await temporaryDirectory(t), {
      'assay.config.json': JSON.stringify({ tools }),
      'plugins/.keep': '',
    });

    const { assay, json, log } = await testAssay({ discover });

    const report = assay.report();
    assert.deepEqual(report.registered, ['first', 'last']);
    assert.deepEqual(
      report.refused.map(({ name }) => name),
      ['bad', 'first', 'http_one'],
    );
    assert.equal(report.refused[2]?.reason, 'HTTP tools not yet supported (coming in v2)');
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 3);
    const { body } = await json<{ spec: { description: string } }>('GET', '/v1/tools/first');
    assert.equal(body.spec.description, 'Look up the weather of a city');
  });

  test('R3.01 R3.02 R3.11 plugins in installed packages and in a folder are discovered and run', async (t) => {
    const discover = await workspace(await temporaryDirectory(t), {
      ...aPackage('assay-plugin-hello', plugin('hello', 'hello')),
      ...aPackage('@scope/assay-plugin-bye', plugin('bye', 'bye')),
      'node_modules/other/package.json': '{"name": "other"}',
      'plugins/local.ts': plugin('local', 'local'),
    });

    const { assay, json } = await testAssay({ discover });

    assert.deepEqual(assay.report(), {
      registered: ['bye', 'hello', 'local'],
      refused: [],
      skipped: [],
    } satisfies LoadReport);
    const { body } = await json<{ spec: { implementation: unknown } }>('GET', '/v1/tools/hello');
    assert.deepEqual(body.spec.implementation, { type: 'internal', handler: 'plugin:hello' });
    const handler = assay.handlers().internal.get('plugin:hello');
    assert.equal(handler?.permission, 'safe');
    assert.equal(await handler?.run({ word: 'you' }, {} as never), 'hello you');
  });

  test('X.18 a plugin runs with the permission it declares, unless the operator sets another', async (t) => {
    const declaring = (name: string, permission: string) =>
      plugin(name, name).replace("permission: 'safe',", permission && `permission: '${permission}',`);
    const discover = await workspace(await temporaryDirectory(t), {
      'assay.config.json': JSON.stringify({
        tools: [],
        plugins: { trusted: 'trusted', distrusted: 'distrusted', 'off.js': 'off', misspelt: 'trustet' },
      }),
      ...aPackage('author', declaring('author_safe', 'safe')),
      ...aPackage('silent', declaring('author_silent', '')),
      ...aPackage('dangerous', declaring('author_dangerous', 'dangerous')),
      ...aPackage('trusted', declaring('trusted_silent', '')),
      ...aPackage('distrusted', declaring('distrusted_safe', 'safe')),
      ...aPackage('misspelt', declaring('misspelt_safe', 'safe')),
      'plugins/off.js': 'throw new Error("it was loaded")',
    });

    const { assay, json } = await testAssay({ discover });

    const levels = assay
      .report()
      .registered.map((name) => [name, assay.handlers().internal.get(`plugin:${name}`)?.permission]);
    assert.deepEqual(Object.fromEntries(levels), {
      author_safe: 'safe',
      author_silent: 'confirm',
      author_dangerous: 'dangerous',
      trusted_silent: 'safe',
      distrusted_safe: 'confirm',
      misspelt_safe: 'confirm',
    });
    assert.deepEqual(assay.report().skipped, []);
    assert.match(assay.report().refused[0]?.reason ?? '', /plugins\.misspelt must be/);
    const called = (name: string) => json<Outcome>('POST', `/v1/tools/${name}/invoke`, { arguments: { word: 'x' } });
    assert.equal((await called('author_safe')).body.output, 'author_safe x');
    assert.equal((await called('distrusted_safe')).status, 409);
  });

  test('R3.03 a duplicate plugin is skipped with a warning: the first found is kept, packages before the folder', async (t) => {
    const discover = await workspace(await temporaryDirectory(t), {
      'assay.config.json': JSON.stringify({ tools: [aTool({ name: 'configured' })] }),
      ...aPackage('assay-plugin-one', plugin('same', 'from the package')),
      'plugins/a.js': plugin('same', 'from the folder'),
      'plugins/b.js': plugin('configured', 'from the folder'),
    });

    const { assay, json, log } = await testAssay({ discover });

    const { body } = await json<{ spec: { description: string } }>('GET', '/v1/tools/same');
    assert.equal(body.spec.description, 'from the package');
    assert.deepEqual(
      assay.report().skipped.map(({ name }) => name),
      ['same', 'configured'],
    );
    assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 2);
  });

  test('R3.04 a plugin that throws, exports nonsense or lacks execute is logged and skipped', async (t) => {
    const discover = await workspace(await temporaryDirectory(t), {
      'plugins/throws.js': 'throw new Error("no database");',
      'plugins/nonsense.js': 'export const tools = 5;',
      'plugins/syntax.js': 'export const tools = [',
      'plugins/no-execute.js': 'export const tools = [{ definition: { name: "x" } }, null, 7];',
      'plugins/works.js': plugin('works', 'yes'),
    });

    const { assay } = await testAssay({ discover });

    assert.deepEqual(assay.report().registered, ['works']);
    assert.equal(assay.report().skipped.length, 6);
    assert.match(
      assay.report().skipped.find(({ source }) => source.endsWith('throws.js'))?.reason ?? '',
      /no database/,
    );
  });

  test('R2.01 a corrupt configuration is reported with file, line and column, and the server starts', async (t) => {
    const discover = await workspace(await temporaryDirectory(t), {
      'assay.config.json': '{\n  "tools": [,]\n}',
      'plugins/works.js': plugin('works', 'yes'),
    });

    const { assay } = await testAssay({ discover });

    assert.match(assay.report().refused[0]?.reason ?? '', /assay\.config\.json is not valid JSON at line 2, column 13/);
    assert.deepEqual(assay.report().registered, ['works']);
  });

  test('R3.09 reloading replaces discovered tools and keeps those that tenants registered', async (t) => {
    const root = await temporaryDirectory(t);
    const discover = await workspace(root, { 'plugins/one.js': plugin('one', 'before') });
    const { json } = await testAssay({ discover });
    await json('POST', '/v1/tools', aTool({ name: 'mine' }));
    await workspace(root, { 'plugins/one.js': plugin('one', 'after'), 'plugins/two.js': plugin('two', 'new') });

    const { body } = await json<LoadReport>('POST', '/v1/reload');

    assert.deepEqual(body.registered, ['one', 'two']);
    assert.equal(
      (await json<{ spec: { description: string } }>('GET', '/v1/tools/one')).body.spec.description,
      'after',
    );
    const { body: page } = await json<{ tools: { spec: { name: string } }[] }>('GET', '/v1/tools');
    assert.deepEqual(
      page.tools.map(({ spec }) => spec.name),
      ['mine', 'one', 'two'],
    );
  });

  test('a tenant may disable a shipped tool for itself, but not redefine, change or delete it', async () => {
    const shipped = { kind: 'shipped', source: 'assay', definitions: [aTool()] } as const;
    const { json, key } = await testAssay({ discover: async () => [shipped] });
    const acme = await key({ scopes: ['read', 'write', 'invoke'], tenant: 'acme' });
    const path = '/v1/tools/weather_lookup';

    assert.equal((await json('POST', '/v1/tools', aTool({ description: 'Mine' }), acme)).status, 409);
    assert.equal((await json('DELETE', path, undefined, acme)).status, 403);
    assert.equal((await json('PATCH', path, { deprecated: true }, acme)).status, 403);
    assert.equal((await json<{ enabled: boolean }>('PATCH', path, { enabled: false }, acme)).body.enabled, false);
    assert.deepEqual((await json('GET', '/v1/tools', undefined, acme)).body, { tools: [] });
    assert.equal((await json('POST', `${path}/invoke`, { arguments: { city: 'x' } }, acme)).status, 503);
    assert.deepEqual((await json<{ disabled: string[] }>('GET', '/v1/snapshot', undefined, acme)).body.disabled, [
      'weather_lookup',
    ]);
    assert.equal((await json<Outcome>('POST', `${path}/invoke`, { arguments: { city: 'x' } })).body.status, 'ok');
    assert.equal((await json<{ enabled: boolean }>('PATCH', path, { enabled: true }, acme)).body.enabled, true);
    assert.deepEqual((await json<{ disabled: string[] }>('GET', '/v1/snapshot', undefined, acme)).body.disabled, []);
  });
});

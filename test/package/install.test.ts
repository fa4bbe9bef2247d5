import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installPackage, runAsUser } from '../support/installed-package.ts';
import { runAssay, serveAssay } from '../support/process.ts';
import { sampleOf } from '../support/sampling.ts';
import { sizeOf } from '../support/size-of.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the packed package in an empty folder', () => {
  let folder = '';
  let entry = '';

  before(async () => {
    folder = await installPackage();
    await copyFile(join(root, 'metadata/photographs/chelsea.webp'), join(folder, 'chelsea.webp'));
    entry = join(folder, 'node_modules/assay/functions/cli/assay.js');
  });

  after(() => rm(folder, { recursive: true, force: true }));

  test('X.03 the package has no sources, no build or deployment tool, and no library for another platform', async () => {
    const installed = await readdir(join(folder, 'node_modules'));
    const files = await readdir(join(folder, 'node_modules/assay'), { recursive: true });

    assert.deepEqual(
      ['aws-cdk-lib', 'constructs', 'esbuild', 'onnxruntime-node', '@aws-sdk', 'typescript'].filter((name) =>
        installed.includes(name),
      ),
      [],
    );
    assert.deepEqual(
      files.filter((file) => /(?<!\.d)\.tsx?$|^test|^infra/.test(file)),
      [],
    );
    const libraries = files.filter((file) => file.endsWith('onnxruntime_binding.node'));
    assert.equal(libraries.length, 1);
    assert.ok(libraries[0]?.includes(join(process.platform, process.arch)), libraries[0]);
    const megabytes = (await sizeOf(join(folder, 'node_modules'))) / 1e6;
    // With the optional weights of the encoder, which a sample only links.
    assert.ok(megabytes > 50 && megabytes < 200, `${megabytes} MB`);
  });

  test('X.03 npx assay --version prints the version of package.json', async () => {
    const { stdout } = await runAsUser(folder, 'npx', '--no-install', 'assay', '--version');

    assert.equal(stdout.trim(), JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version);
  });

  test('X.03 npx assay score scores a picture', async () => {
    const { code, stdout, stderr } = await runAssay(['score', 'chelsea.webp', '--json'], { cwd: folder, entry });

    assert.equal(code, 0, stderr);
    const [{ scores = [] } = {}] = [JSON.parse(stdout)].flat() as { scores?: { tool: string; raw?: number }[] }[];
    assert.ok(scores.length > 0 && scores.every(({ raw }) => Number.isFinite(raw)), stdout);
  });

  test('X.03 npx assay serve answers with its console, and assay/client connects to it', async (t) => {
    const served = await serveAssay({ cwd: folder, entry });
    t.after(() => served.child.kill('SIGKILL'));

    const page = await (await fetch(served.address)).text();
    const [script = ''] = /console\/app\.js[^"]*/.exec(page) ?? [];
    assert.equal((await fetch(new URL(script, served.address))).status, 200);
    await writeFile(join(folder, 'client.js'), CLIENT);
    const { stdout } = await runAsUser(folder, process.execPath, 'client.js', served.address, served.adminKey ?? '');
    assert.deepEqual(JSON.parse(stdout), { tools: 2, refused: 'Unauthenticated' });
    assert.equal(await served.stop(), 0);
  });

  test('X.03 the installed library gives a registry, and runs an embedding program’s tool, from JavaScript', async () => {
    await writeFile(join(folder, 'library.js'), LIBRARY);
    const { stdout } = await runAsUser(folder, process.execPath, 'library.js');

    assert.deepEqual(JSON.parse(stdout), { names: ['weather'], output: { twice: 42 }, digest: 'ca978112' });
  });

  test('X.03 the package’s types resolve in TypeScript, by Node’s rules and a bundler’s', async () => {
    await writeFile(join(folder, 'typed.ts'), TYPED);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const rules = [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ];
    for (const [module, resolution] of sampleOf(rules, 1)) {
      const flags = `--noEmit --strict --skipLibCheck --target es2024 --lib esnext,dom --module ${module} --moduleResolution ${resolution}`;
      const failed = await runAsUser(folder, process.execPath, tsc, ...flags.split(' '), 'typed.ts').then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
      assert.equal(failed, '', resolution);
    }
  });
});

const CLIENT = `
import { createClient } from 'assay/client';
const [url, key] = process.argv.slice(2);
const { tools } = await (await createClient({ url, key }).v1.tools.$get({ query: { limit: '2' } })).json();
const refused = await createClient({ url, key: 'wrong' }).v1.tools.$get({}).catch(({ code }) => code);
console.log(JSON.stringify({ tools: tools.length, refused }));
`;

const LIBRARY = `
import { adminActor, createAssay, createRegistry, executeTool } from 'assay';
const registry = createRegistry();
registry.register({ tool_name: 'weather', version: '1.0.0', input_schema: { city: 'string' } });
const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const double = { name: 'double', description: 'Doubles a number', parameters };
const assay = await createAssay({ tools: [{ definition: double, execute: ({ n }) => ({ twice: 2 * n }) }] });
const { output } = await executeTool(assay, adminActor(), { name: 'double', arguments: { n: 21 } });
const hash = await executeTool(assay, adminActor(), { name: 'hash', arguments: { text: 'a', algorithm: 'sha256' } });
await assay.close();
const names = registry.tools().map(({ name }) => name);
console.log(JSON.stringify({ names, output, digest: hash.output.digest.slice(0, 8) }));
`;

const TYPED = `
import { adminActor, createAssay, createRegistry, type ExecuteContext, executeTool } from 'assay';
import { createClient, Fault } from 'assay/client';
export const names: readonly string[] = createRegistry().tools().map(({ name }) => name);
const context: ExecuteContext = await createAssay();
const outcome = await executeTool(context, adminActor(), { name: 'hash', arguments: {} });
export const status: 'ok' | 'failed' | 'interrupted' = outcome.status;
// @ts-expect-error a status is no number, so the types are real
export const wrong: number = outcome.status;
const answer = await createClient({ url: 'http://127.0.0.1:1', key: '' }).v1.tools.$get({ query: { limit: '1' } });
export const ids: readonly string[] = (await answer.json()).tools.map(({ id }) => id);
export const fault: Error = new Fault('NotFound', 'nothing');
`;

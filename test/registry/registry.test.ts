import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../shared/kernel/errors.ts';
import { createRegistry } from '../../shared/registry/registry.ts';
import { aTool } from '../support/tools.ts';

const conflict = (error: unknown): boolean => error instanceof Fault && error.code === 'Conflict';

describe('the registry in memory', () => {
  test('R4.02 the examples of seed 004 run as written', () => {
    const registry = createRegistry();
    const summarize = {
      tool_name: 'summarize_text',
      version: '1.0.0',
      description: 'Summarize a text document',
      input_schema: { text: 'string', max_words: 'number' },
      output_schema: { summary: 'string' },
      tags: ['nlp', 'text'],
    };
    const registration = registry.register(summarize);
    assert.equal(registration.spec.name, 'summarize_text');
    assert.deepEqual(registration.spec.parameters, {
      type: 'object',
      properties: { text: { type: 'string' }, max_words: { type: 'number' } },
      required: ['text', 'max_words'],
    });

    registry.setEnabled('summarize_text', false);
    assert.equal(
      registry.list().some(({ spec }) => spec.name === 'summarize_text'),
      false,
    );
    assert.equal(
      registry.list({ includeDisabled: true }).some(({ spec }) => spec.name === 'summarize_text'),
      true,
    );

    registry.register({ tool_name: 'example', version: '1.0.0', input_schema: {}, output_schema: {} });
    registry.register({
      tool_name: 'example',
      version: '2.0.0',
      input_schema: { new_field: 'string' },
      output_schema: {},
    });
    const changed = {
      tool_name: 'example',
      version: '2.0.0',
      input_schema: { different_field: 'number' },
      output_schema: {},
    };
    assert.throws(() => registry.register(changed), conflict);
  });

  test('R4.02a a tool with a new name is registered enabled', () => {
    const registration = createRegistry().register(aTool());

    assert.equal(registration.enabled, true);
    assert.equal(registration.id, 'weather_lookup');
    assert.match(registration.digest, /^[0-9a-f]{64}$/);
  });

  test('R4.02b registering an identical spec returns the existing registration', () => {
    const registry = createRegistry();
    const first = registry.register(aTool({ version: '1.0.0' }));

    const { name, ...rest } = aTool({ version: '1.0.0' });
    assert.equal(registry.register({ ...rest, name }), first);
  });

  test('R4.02c R1.18 another version becomes the default and the old one stays', () => {
    const registry = createRegistry();
    registry.register(aTool({ version: '1.0.0' }));
    const second = registry.register(aTool({ version: '1.1.0', description: 'Better' }));

    assert.equal(second.default_version, '1.1.0');
    assert.deepEqual(second.versions, ['1.0.0', '1.1.0']);
    assert.equal(registry.get('weather_lookup', '1.0.0')?.id, 'weather_lookup@1.0.0');
  });

  test('R4.02d the same version with another spec is a conflict, and the first is kept', () => {
    const registry = createRegistry();
    const first = registry.register(aTool({ version: '1.0.0' }));

    assert.throws(() => registry.register(aTool({ version: '1.0.0', description: 'Other' })), conflict);
    assert.equal(registry.get('weather_lookup'), first);
  });

  test('R4.02e an unversioned spec can be replaced only by a versioned one', () => {
    const registry = createRegistry();
    registry.register({ tool_name: 'example', version: null, input_schema: { a: 'string' }, output_schema: {} });
    const other = { tool_name: 'example', input_schema: { b: 'number' }, output_schema: {} };

    assert.throws(() => registry.register(other), /give the new one a version such as 1\.0\.0/);
    registry.register({ ...other, version: '1.0.0' });
    assert.equal(registry.get('example')?.default_version, '1.0.0');
    assert.equal(registry.get('example', 'unversioned')?.id, 'example');
    assert.throws(
      () => registry.register({ tool_name: 'example', input_schema: { c: 'string' }, output_schema: {} }),
      conflict,
    );
  });

  test('R1.18 a pre-release or backport does not become the default; make_default sets either', () => {
    const registry = createRegistry();
    registry.register(aTool({ version: '2.0.0' }));

    assert.equal(registry.register(aTool({ version: '3.0.0-beta.1' })).default_version, '2.0.0');
    assert.equal(registry.register(aTool({ version: '1.9.0' })).default_version, '2.0.0');
    assert.equal(registry.register(aTool({ version: '1.9.1' }), { makeDefault: true }).default_version, '1.9.1');
    assert.equal(registry.register(aTool({ version: '4.0.0' }), { makeDefault: false }).default_version, '1.9.1');
  });

  test('R4.02c registering a new version enables a disabled tool', () => {
    const registry = createRegistry();
    registry.register(aTool({ version: '1.0.0' }));
    registry.setEnabled('weather_lookup', false);

    assert.equal(registry.register(aTool({ version: '1.0.0' })).enabled, false);
    assert.equal(registry.register(aTool({ version: '1.0.1' })).enabled, true);
  });

  test('R4.03 R1.02 the list is sorted by name and leaves out disabled tools unless requested', () => {
    const registry = createRegistry();
    for (const name of ['zebra', 'Apple', 'mango', '_under']) registry.register(aTool({ name }));
    registry.setEnabled('mango', false);

    assert.deepEqual(
      registry.list().map(({ spec }) => spec.name),
      ['Apple', '_under', 'zebra'],
    );
    assert.equal(registry.list({ includeDisabled: true }).length, 4);
  });

  test('R4.04 R2.05 R3.05 get returns the registration or undefined', () => {
    const registry = createRegistry();
    const registration = registry.register(aTool());

    assert.equal(registry.get('weather_lookup'), registration);
    assert.equal(registry.get('nobody'), undefined);
    assert.equal(registry.get('weather_lookup', '9.9.9'), undefined);
  });

  test('R4.05 enabling an unknown tool is an error, repeating is a no-op that returns the same registration', () => {
    const registry = createRegistry();
    const registration = registry.register(aTool());

    assert.throws(
      () => registry.setEnabled('weather_lokup', false),
      /no tool named "weather_lokup"; did you mean weather_lookup\?/,
    );
    assert.equal(registry.setEnabled('weather_lookup', true), registration);
    const disabled = registry.setEnabled('weather_lookup', false);
    assert.equal(registry.setEnabled('weather_lookup', false), disabled);
  });

  test('R4.06 R1.03 removing is idempotent, by name or by id', () => {
    const registry = createRegistry();
    registry.register(aTool({ version: '1.0.0' }));
    registry.register(aTool({ version: '2.0.0' }));
    registry.register(aTool({ version: '3.0.0-rc.1' }));

    registry.remove('weather_lookup@2.0.0');
    registry.remove('weather_lookup@2.0.0');
    assert.equal(registry.get('weather_lookup')?.default_version, '1.0.0');
    registry.remove('weather_lookup');
    registry.remove('weather_lookup');
    assert.equal(registry.get('weather_lookup'), undefined);
  });

  test('R4.07 a snapshot is exported and imported without changes', () => {
    const registry = createRegistry({ now: () => new Date('2025-12-27T14:00:00Z') });
    registry.register(aTool({ version: '1.0.0', tags: ['a'] }));
    registry.register(aTool({ version: '2.0.0' }));
    registry.deprecate('weather_lookup', 'use 2', '1.0.0');
    registry.register(aTool({ name: 'other' }));
    registry.setEnabled('other', false);
    const snapshot = registry.snapshot();

    const copy = createRegistry();
    copy.restore(JSON.parse(JSON.stringify(snapshot)));

    assert.deepEqual(copy.snapshot(), snapshot);
    assert.deepEqual(copy.list({ includeDisabled: true }), registry.list({ includeDisabled: true }));
    assert.throws(
      () => copy.restore({ ...snapshot, tools: [{ ...snapshot.tools[0], default_version: '7.0.0' }] }),
      /has no version 7\.0\.0/,
    );
  });

  test('R4.01 specs, registrations and snapshots are frozen and reject unknown fields', () => {
    const registry = createRegistry();
    const registration = registry.register(aTool());

    assert.throws(() => Object.assign(registration, { enabled: false }), TypeError);
    assert.throws(() => Object.assign(registration.spec, { description: '' }), TypeError);
    assert.throws(() => Object.assign(registration.spec.parameters, { type: 'string' }), TypeError);
    assert.throws(() => Object.assign(registry.snapshot(), { revision: 9 }), TypeError);
    assert.throws(() => registry.register(aTool({ colour: 'red' })), /unknown field colour/);
  });

  test('R4.01 changing an object after registering it has no effect', () => {
    const registry = createRegistry();
    const mine = aTool({ tags: ['one'] });
    registry.register(mine);

    (mine.tags as string[]).push('two');
    assert.deepEqual(registry.get('weather_lookup')?.spec.tags, ['one']);
    assert.equal(Object.isFrozen(mine), false);
  });

  test('R4.08 two registries share no state, and equal calls give equal states', () => {
    const [one, two] = [createRegistry(), createRegistry()];
    for (const registry of [one, two]) for (const name of ['b', 'a']) registry.register(aTool({ name }));

    assert.deepEqual(one.snapshot(), two.snapshot());
    assert.equal('created_at' in (one.get('a') ?? {}), false);
    one.remove('a');
    assert.notEqual(two.get('a'), undefined);
  });

  test('R4.09e R1.17 deprecation is per version and not part of the digest', () => {
    const registry = createRegistry();
    const before = registry.register(aTool({ version: '1.0.0' }));
    const after = registry.deprecate('weather_lookup', 'use forecast');

    assert.equal(after.deprecated, 'use forecast');
    assert.equal(after.digest, before.digest);
    assert.equal('deprecated' in registry.deprecate('weather_lookup', false), false);
  });

  test('R3.08 the registry filters by all tags, exact category, name pattern from the start and capability flags', () => {
    const registry = createRegistry();
    registry.register(
      aTool({ name: 'aws_s3_get', tags: ['aws', 'read'], category: 'Storage', capabilities: ['supports_streaming'] }),
    );
    registry.register(
      aTool({
        name: 'aws_s3_put',
        tags: ['aws', 'write'],
        category: 'Storage',
        capabilities: { supports_streaming: false },
      }),
    );
    registry.register(aTool({ name: 'not_aws_s3', tags: ['read'], category: 'storage' }));
    const names = (criteria: Parameters<typeof registry.filter>[0]) =>
      registry.filter(criteria).map(({ spec }) => spec.name);

    assert.deepEqual(names({ tags: ['aws', 'read'] }), ['aws_s3_get']);
    assert.deepEqual(names({ category: 'Storage' }), ['aws_s3_get', 'aws_s3_put']);
    assert.deepEqual(names({ name_pattern: 'aws_s3_.*' }), ['aws_s3_get', 'aws_s3_put']);
    assert.deepEqual(names({ capabilities: { supports_streaming: true } }), ['aws_s3_get']);
    assert.deepEqual(names({ allowed: ['not_aws_s3', 'aws_s3_get'] }), ['aws_s3_get', 'not_aws_s3']);
  });

  test('R3.08 a hostile pattern on a long name takes no long time', () => {
    const registry = createRegistry();
    registry.register(aTool({ name: 'a'.repeat(128) }));

    assert.deepEqual(registry.filter({ name_pattern: '(a+)+$b' }), []);
    assert.throws(() => registry.filter({ name_pattern: '(?=a)' }), /is not an RE2 pattern/);
  });

  test('R3.10 category defaults to none and tags to []', () => {
    const { spec } = createRegistry().register(aTool());

    assert.equal(spec.category, undefined);
    assert.deepEqual(spec.tags, []);
  });

  test('R1.13 R1.14 the registry keeps purpose, scenarios and the parameter schema with types, required and defaults', () => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' }, units: { type: 'string', enum: ['C', 'F'], default: 'C' } },
      required: ['city'],
    };
    const { spec } = createRegistry().register(aTool({ parameters, scenarios: ['travel'] }));

    assert.deepEqual(spec.parameters, parameters);
    assert.deepEqual(
      [spec.name, spec.description, spec.scenarios],
      ['weather_lookup', 'Look up the weather of a city', ['travel']],
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkShipped } from '../../functions/compose/check-shipped.ts';
import tools from '../../metadata/tools.json' with { type: 'json' };
import { fileDefinitions } from '../../shared/adapters/files/file-tools.ts';
import { imageToolsByName } from '../../shared/adapters/images/image-tools-by-name.ts';
import { builtinsByName } from '../../shared/execute/builtins/by-name.ts';
import { builtins } from '../../shared/execute/builtins/index.ts';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import { MAP_DEFINITION } from '../../shared/iqa/map-tool.ts';
import { buildCatalogue, parseMetadata } from '../../shared/iqa/metadata.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import { loadLayer } from '../../shared/registry/load.ts';
import { parseDefinition } from '../../shared/registry/parse-definition.ts';
import { toRecord } from '../../shared/registry/register.ts';
import { REGISTRY_SEARCH } from '../../shared/registry/search-tool.ts';

test('every shipped definition is valid, and equals what checking it would give', () => {
  const shipped = [
    ...[...builtins, ...Object.values(imageToolsByName).map((tool) => tool())].map(({ definition }) => definition),
    ...fileDefinitions,
    ...toDefinitions(parseMetadata(JSON.stringify(tools), 'metadata/tools.json').tools),
    REGISTRY_SEARCH,
    FIT_DEFINITION,
    MAP_DEFINITION,
  ];

  for (const definition of shipped)
    assert.deepEqual(parseDefinition(definition, undefined, 'trusted'), parseDefinition(definition));
});

test('a shipped tool is listed by its own name', () => {
  const named = Object.entries({ ...builtinsByName, ...imageToolsByName });

  for (const [name, tool] of named) assert.equal(tool().definition.name, name);
});

test('definitions checked when bundling equal those of a start from the sources, and are not checked again', () => {
  const { entries, families } = JSON.parse(JSON.stringify(checkShipped())) as ReturnType<typeof checkShipped>;
  const handlers = { builtin: new Map(), internal: new Map() };

  const { layer, report } = loadLayer(
    [{ kind: 'shipped', source: 'assay', definitions: [], families: Object.values(families) }],
    handlers,
  );

  const { tools: checked } = buildCatalogue(entries);
  assert.deepEqual(checked, parseMetadata(JSON.stringify(tools), 'metadata/tools.json').tools);
  assert.deepEqual(report.registered, Object.keys(families).sort());
  for (const definition of toDefinitions(checked)) {
    const [version] = layer.get(definition.name)?.versions ?? [];
    assert.equal(JSON.stringify(version), JSON.stringify(toRecord(parseDefinition(definition))));
  }
});

import tools from '../../metadata/tools.json' with { type: 'json' };
import { fileDefinitions } from '../../shared/adapters/files/file-tools.ts';
import { imageToolsByName } from '../../shared/adapters/images/image-tools-by-name.ts';
import { builtinsByName } from '../../shared/execute/builtins/by-name.ts';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import { MAP_DEFINITION } from '../../shared/iqa/map-tool.ts';
import { type IqaEntry, IqaMetadata } from '../../shared/iqa/metadata-schema.ts';
import { shippedCatalogue } from '../../shared/iqa/shipped-catalogue.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import type { Family } from '../../shared/model/registration.ts';
import { parseDefinition } from '../../shared/registry/parse-definition.ts';
import { registerVersion, toRecord } from '../../shared/registry/register.ts';
import { REGISTRY_SEARCH } from '../../shared/registry/search-tool.ts';

/** The shipped tools, checked. Bundling calls it, so that no function has to check them at start. */
export const checkShipped = (): {
  readonly entries: Readonly<Record<string, IqaEntry>>;
  readonly families: Readonly<Record<string, Family>>;
} => {
  const definitions = [
    ...Object.values({ ...builtinsByName, ...imageToolsByName }).map((tool) => tool().definition),
    ...fileDefinitions,
    REGISTRY_SEARCH,
    ...toDefinitions(shippedCatalogue().tools),
    FIT_DEFINITION,
    MAP_DEFINITION,
  ];
  const families = definitions.map(
    (definition) => registerVersion(undefined, toRecord(parseDefinition(definition))).family,
  );
  return {
    entries: IqaMetadata.parse(tools),
    families: Object.fromEntries(families.map((family) => [family.name, family])),
  };
};

import { Fault } from '../kernel/errors.ts';
import type { Family } from '../model/registration.ts';
import type { Tool } from '../model/tool.ts';

const PREFIX = 'source:';

/** The handler of a source's tools. Only a refresh of that source registers definitions that name it. */
export const sourceHandler = (source: string): string => `${PREFIX}${source}`;

/** The source that a handler stands for; undefined for any other handler. */
export const sourceOfHandler = (handler: string): string | undefined =>
  handler.startsWith(PREFIX) ? handler.slice(PREFIX.length) : undefined;

/** Refuses a definition that claims to be a source's tool. */
export const refuseSourceHandler = ({ name, implementation }: Pick<Tool, 'name' | 'implementation'>): void => {
  if (implementation?.type !== 'internal' || sourceOfHandler(implementation.handler) === undefined) return;
  throw new Fault(
    'Forbidden',
    `${name} names the handler ${implementation.handler}, which only a source gives to its tools; ` +
      'add a source with POST /v1/sources instead',
    { name, field: 'implementation.handler', value: implementation.handler },
  );
};

/** Refuses to change by hand what belongs to a source. */
export const refuseOwnedBySource = (family: Family | undefined, cure: string): void => {
  if (family?.source === undefined) return;
  throw new Fault('Forbidden', `${family.name} belongs to the source ${family.source.name}: ${cure}`, {
    name: family.name,
    source: family.source.name,
  });
};

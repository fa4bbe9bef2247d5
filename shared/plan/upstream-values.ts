import type { Tool } from '../model/tool.ts';
import { sourceOfHandler } from '../registry/source-tools.ts';
import type { Reference } from './reference.ts';

interface UsingNode {
  readonly input: { readonly id: string };
  readonly tool: { readonly spec: Pick<Tool, 'implementation'> };
  readonly references: readonly Reference[];
}

/**
 * The places in each node's arguments that take values from a source, directly or through other tools. Such a value may
 * be a prompt injection: its author may want the next tool to do something that nobody here asked for.
 */
export const placesFromUpstream = (nodes: readonly UsingNode[]): ReadonlyMap<string, readonly string[]> => {
  const byId = new Map(nodes.map((node) => [node.input.id, node]));
  const known = new Map<string, boolean>();
  const carries = (id: string): boolean => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const node = byId.get(id);
    const isOutside = node !== undefined && (isUpstream(node) || node.references.some(({ source }) => carries(source)));
    known.set(id, isOutside);
    return isOutside;
  };
  return new Map(
    nodes.map(({ input, references }) => [
      input.id,
      references.filter(({ source }) => carries(source)).map(({ place }) => place),
    ]),
  );
};

const isUpstream = ({ tool: { spec } }: UsingNode): boolean =>
  spec.implementation?.type === 'internal' && sourceOfHandler(spec.implementation.handler) !== undefined;

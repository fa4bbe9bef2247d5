import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import { requireTool } from '../iqa/choose-tools.ts';
import type { Iqa } from '../iqa/iqa.ts';
import type { IqaCatalogue, IqaTool } from '../iqa/metadata.ts';
import { type MapRequest, type PaintedMap, paintQualityMap } from '../iqa/paint-map.ts';
import { toolsByType, toolsForDistortion } from '../iqa/queries.ts';
import type { IqaType } from '../model/iqa.ts';
import type { Actor } from '../model/key.ts';

/** The image tools that a key sees. */
export const visibleCatalogue = (catalogue: IqaCatalogue, actor: Actor): IqaCatalogue => {
  const visible = visibleTools(actor);
  if (visible.only === undefined) return catalogue;
  return {
    ...catalogue,
    tools: catalogue.tools.filter(({ name }) => visible.has(name)),
    find: (name) => {
      const tool = catalogue.find(name);
      return tool && visible.has(tool.name) ? tool : undefined;
    },
  };
};

export interface ImageToolsQuery {
  readonly type?: IqaType | undefined;
  readonly distortion?: string | undefined;
  readonly hasReference: boolean;
  readonly isAvailable?: boolean | undefined;
}

/** Lists image tools by type, by distortion or by whether they can run here. */
export const listImageTools = async (
  iqa: Pick<Iqa, 'catalogue' | 'computations'>,
  actor: Actor,
  { type, distortion, hasReference, isAvailable }: ImageToolsQuery,
): Promise<readonly (IqaTool & { readonly available: boolean })[]> => {
  requireScope(actor, 'read');
  const catalogue = visibleCatalogue(iqa.catalogue, actor);
  const canRun = await iqa.computations.availability();
  const names =
    distortion === undefined
      ? catalogue.tools.map(({ name }) => name)
      : toolsForDistortion(catalogue, distortion, { reference: hasReference });
  const ofType = type === undefined ? undefined : new Set(toolsByType(catalogue, type));
  return names
    .flatMap((name) => catalogue.find(name) ?? [])
    .map((tool) => ({ ...tool, available: canRun(tool) }))
    .filter((tool) => ofType?.has(tool.name) ?? true)
    .filter(({ available }) => isAvailable === undefined || available === isAvailable);
};

/** Paints where a picture differs from its reference, as a PNG. */
export const paintMap = async (
  { engine, catalogue }: Pick<Iqa, 'engine' | 'catalogue'>,
  actor: Actor,
  request: MapRequest,
  signal?: AbortSignal,
): Promise<Omit<PaintedMap, 'pixels'> & { readonly png: Uint8Array }> => {
  requireScope(actor, 'invoke');
  if (visibleTools(actor).only !== undefined) requireTool(visibleCatalogue(catalogue, actor), request.tool);
  const { pixels, ...scale } = await paintQualityMap(engine, { ...request, tenant: actor.tenant }, signal);
  return { ...scale, png: await engine.encode(pixels, { format: 'png' }) };
};

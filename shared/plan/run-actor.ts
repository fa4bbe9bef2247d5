import * as z from 'zod';
import { type Actor, NewKey, Scope } from '../model/key.ts';

/** The actor that a run acts for, as stored with the run. */
export const RunActor = z.object({
  key_id: z.string().min(1),
  scopes: z.array(Scope),
  tools: z.array(z.string()).optional(),
  key: z.object({ quota: NewKey.shape.quota }).optional(),
  on_behalf_of: z.string().optional(),
  depth: z.int().optional(),
  root: z.string().optional(),
});
export type RunActor = Readonly<z.infer<typeof RunActor>>;

export const toRunActor = ({ keyId, scopes, tools, key, onBehalfOf, planDepth, planRoot }: Actor): RunActor => ({
  key_id: keyId,
  scopes: [...scopes],
  tools: tools && [...tools],
  key: key?.quota && { quota: key.quota },
  on_behalf_of: onBehalfOf,
  depth: planDepth,
  root: planRoot,
});

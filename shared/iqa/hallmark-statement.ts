import * as z from 'zod';

/** What a hallmark signs: the score, the files and the tool it was computed from, and when. */
export const HallmarkStatement = z.strictObject({
  v: z.literal(1),
  image_sha256: z.string(),
  reference_sha256: z.string().nullable(),
  tool: z.string(),
  version: z.string(),
  tool_digest: z.string(),
  graph_sha256: z.string(),
  decoder: z.string(),
  raw: z.number(),
  normalized: z.number().optional(),
  at: z.iso.datetime(),
});
export type HallmarkStatement = Readonly<z.infer<typeof HallmarkStatement>>;

/** A statement signed with Ed25519 over its canonical JSON. */
export const Hallmark = z.strictObject({
  statement: HallmarkStatement,
  key_id: z.string(),
  signature: z.base64url(),
});
export type Hallmark = Readonly<z.infer<typeof Hallmark>>;

import * as z from 'zod';
import { JsonObject } from '../kernel/json.ts';

/** How clients display a tool, and hints about its behaviour; named as in MCP, kept as given. */

const Title = z.string().min(1).max(256);

/** Hints about behaviour. They are unverified: no permission is lowered for them. */
export const Annotations = z.looseObject({
  title: Title.optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type Annotations = Readonly<z.infer<typeof Annotations>>;

const Icon = z.looseObject({
  src: z
    .string()
    .max(32_768)
    .regex(
      /^([Hh][Tt][Tt][Pp][Ss]?:\/\/|[Dd][Aa][Tt][Aa]:[Ii][Mm][Aa][Gg][Ee]\/)/,
      'must be an http(s) or data:image address',
    ),
  mimeType: z.string().max(128).optional(),
  sizes: z.array(z.string().max(32)).max(32).optional(),
  theme: z.enum(['light', 'dark']).optional(),
});

export const toolDisplay = {
  title: Title.optional(),
  annotations: Annotations.optional(),
  icons: z.array(Icon).max(16).optional(),
  _meta: JsonObject.optional(),
  /** Arguments as a model should write them; each fits `parameters`. */
  input_examples: z.array(JsonObject).max(32).optional(),
};

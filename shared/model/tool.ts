import * as z from 'zod';
import { JsonObject, JsonSchema } from '../kernel/json.ts';
import { IqaBlock } from './iqa.ts';
import { toolDisplay } from './tool-display.ts';

export const ToolName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/, 'must match ^[A-Za-z_][A-Za-z0-9_.-]{0,127}$');

/** SemVer 2.0.0, by the regular expression of semver.org. */
export const Version = z
  .string()
  .max(256)
  .regex(
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/,
    'must be a semantic version such as 1.2.0',
  );

/** What a call may do without confirmation, least first. */
export const Permission = z.enum(['safe', 'confirm', 'dangerous']);
export type Permission = z.infer<typeof Permission>;

const Handler = z.string().min(1).max(256);

// Any JSON value, null included, but it must be present.
const MockResponse = z.unknown().refine((value) => value !== undefined, 'is required');

/** How a tool runs. `http` is declared so that it can be refused with an exact message. */
export const Implementation = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('mock'), mock_response: MockResponse }),
  z.strictObject({ type: z.literal('builtin'), handler: Handler }),
  z.strictObject({ type: z.literal('internal'), handler: Handler }),
]);
export type Implementation = z.infer<typeof Implementation>;

/** Flags by name: `["supports_streaming"]` or `{"supports_streaming": true}`. */
export const Capabilities = z.union([z.array(z.string().min(1)), z.record(z.string().min(1), z.boolean())]);
export type Capabilities = z.infer<typeof Capabilities>;

const Words = z.array(z.string().min(1).max(128)).max(64);

const ExampleRequest = z.string().trim().min(1).max(1000);
const Examples = z
  .array(z.union([ExampleRequest, z.strictObject({ request: ExampleRequest, arguments: JsonObject.optional() })]))
  .max(32);

const common = {
  name: ToolName,
  type: z.literal('function'),
  handler: Handler,
  parameters: JsonSchema,
  version: Version.optional(),
  output_schema: JsonSchema.optional(),
  category: z.string().min(1).max(128).optional(),
  tags: Words.default([]),
  capabilities: Capabilities.optional(),
  instructions: z.string().max(16_384).optional(),
  permission: Permission.optional(),
  price_micros: z.int().nonnegative().optional(),
  scenarios: Words.optional(),
  intents: Words.optional(),
  /** Requests that the tool is meant for, optionally with arguments. */
  examples: Examples.optional(),
  cacheable: z.boolean().optional(),
  /** Whether an interrupted call may run again under its id without a second effect. */
  idempotent: z.boolean().optional(),
  timeout_seconds: z.number().positive().max(900).optional(),
  iqa: IqaBlock.optional(),
  ...toolDisplay,
};

/** A tool definition, as HTTP and configuration require it. */
export const ToolDefinition = z.strictObject({
  ...common,
  description: z.string().trim().min(1).max(8192),
  implementation: Implementation,
});

/** A definition as the library may register it: a spec alone, which cannot be invoked. */
export const ToolSpec = z.strictObject({
  ...common,
  type: common.type.default('function'),
  handler: common.handler.optional(),
  description: z.string().max(8192).optional(),
  implementation: Implementation.optional(),
});

/** What is stored, frozen: a full definition or a spec alone. */
export type Tool = Readonly<z.infer<typeof ToolSpec>>;
export type ToolDefinition = Readonly<z.infer<typeof ToolDefinition>>;

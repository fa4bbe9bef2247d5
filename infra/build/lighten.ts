import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import type { Edit } from './lazy-modules.ts';

const mcpValidator = `
export const CORS_IS_POSSIBLE = false;
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator {
  getValidator(schema) {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
    addFormats(ajv);
    const validate = ajv.compile(schema);
    return (input) => validate(input)
      ? { valid: true, data: input, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: ajv.errorsText(validate.errors) };
  }
}`;

const noEventStreams = `
export const resolveEventStreamSerdeConfig = (config) => config;
export const eventStreamSerdeProvider = () => ({});
export class EventStreamSerde {}`;

/** Leaves out of a function's bundle what its packages carry for other places: half a megabyte. */
export const lighten = (isLambda: boolean): readonly Plugin[] => [
  // zod's error texts in fifty languages; we speak one.
  instead('one-locale', /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/, "export { default as en } from './en.js';"),
  // In a Lambda function credentials are in the environment; files, sign-in and metadata services are not there.
  ...(isLambda ? [environmentCredentials] : []),
  // Reads a browser's name for the SDK's user agent.
  instead('no-browser', /[/\\]bowser[/\\].*\.m?js$/, 'export default {};'),
  // Answers that are streams of events, of which we ask S3 for none.
  instead(
    'no-event-streams',
    /[/\\]@smithy[/\\]core[/\\]dist-es[/\\]submodules[/\\]event-streams[/\\]index\.js$/,
    noEventStreams,
  ),
  // MCP's packages carry an ajv of their own; ours does the same.
  instead('one-ajv', /[/\\]@modelcontextprotocol[/\\](?:server|client)[/\\]dist[/\\]shimsNode\.mjs$/, mcpValidator),
  // Adds a method to every kind of schema, and so holds on to all of zod; we describe by zod's own `meta`.
  edited('plain-zod', /[/\\]@hono[/\\]zod-openapi[/\\]dist[/\\]index\.mjs$/, (text) =>
    text.replace('import { z } from "zod";', 'import * as z from "zod";').replace(/^extendZodWithOpenApi\(z\);$/m, ''),
  ),
  // A function is written and compiled for every object that is parsed, even once: only for those that are parsed often.
  edited('patient-zod', /[/\\]zod[/\\]v4[/\\]core[/\\]schemas\.js$/, (text) =>
    replaced(
      replaced(text, /const fastEnabled = jit && allowsEval\.value;/, `let parsed = 0;`),
      /if \(jit && fastEnabled && ctx/,
      `if (jit && ++parsed > ${OFTEN} && allowsEval.value && ctx`,
    ),
  ),
  // Every operation is an array that esbuild dares not drop for its computed keys: they are pure.
  edited('unused-operations', /[/\\]@aws-sdk[/\\][^/\\]+[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/, (text) =>
    text.replaceAll(/^((?:export )?var \w+\$? = )(\[.*\]|\[[\s\S]*?^\]);$/gm, '$1/* @__PURE__ */ (() => ($2))();'),
  ),
];

/** How often an object is parsed before that pays. */
const OFTEN = 8;

const replaced = (text: string, what: RegExp, by: string): string => {
  if (!what.test(text)) throw new Error(`${what} is not in the package any more`);
  return text.replace(what, by);
};

/** A Lambda function signs by itself what the SDK would call only without credentials in the environment. */
export const withoutSdkCalls: Edit = (path, text) =>
  /[/\\]aws[/\\]sdk-calls\.ts$/.test(path)
    ? "export const sdkCalls = () => { throw new Error('AWS_ACCESS_KEY_ID is not set, as Lambda does'); };"
    : text;

const environmentCredentials: Plugin = {
  name: 'environment-credentials',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]@aws-sdk[/\\]credential-provider-node[/\\]dist-es[/\\]index\.js$/ }, () => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
    })),
};

const instead = (name: string, filter: RegExp, contents: string): Plugin => ({
  name,
  setup: ({ onLoad }) => onLoad({ filter }, () => ({ contents })),
});

const edited = (name: string, filter: RegExp, edit: (text: string) => string): Plugin => ({
  name,
  setup: ({ onLoad }) => onLoad({ filter }, async ({ path }) => ({ contents: edit(await readFile(path, 'utf8')) })),
});

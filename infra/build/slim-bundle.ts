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

/** Removes code of packages that a bundle does not need, half a megabyte. */
export const slimBundle = (isLambda: boolean): readonly Plugin[] => [
  // zod's error messages in fifty languages, of which we use one.
  instead('one-locale', /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/, "export { default as en } from './en.js';"),
  // A Lambda function has its credentials in the environment, so files, sign-in and metadata services are not needed.
  ...(isLambda ? [environmentCredentials] : []),
  // It detects the browser for the SDK's user agent.
  instead('no-browser', /[/\\]bowser[/\\].*\.m?js$/, 'export default {};'),
  // Responses that are event streams, which we do not request from S3.
  instead(
    'no-event-streams',
    /[/\\]@smithy[/\\]core[/\\]dist-es[/\\]submodules[/\\]event-streams[/\\]index\.js$/,
    noEventStreams,
  ),
  // The MCP packages contain their own copy of ajv.
  instead('one-ajv', /[/\\]@modelcontextprotocol[/\\](?:server|client)[/\\]dist[/\\]shimsNode\.mjs$/, mcpValidator),
  // It adds a method to every schema class, which keeps all of zod in the bundle; we use zod's own `meta`.
  edited('plain-zod', /[/\\]@hono[/\\]zod-openapi[/\\]dist[/\\]index\.mjs$/, (text) =>
    text.replace('import { z } from "zod";', 'import * as z from "zod";').replace(/^extendZodWithOpenApi\(z\);$/m, ''),
  ),
  // zod compiles a function for every object schema on its first use; this limits it to schemas that are used often.
  edited('patient-zod', /[/\\]zod[/\\]v4[/\\]core[/\\]schemas\.js$/, (text) =>
    replaced(
      replaced(text, /const fastEnabled = jit && allowsEval\.value;/, `let parsed = 0;`),
      /if \(jit && fastEnabled && ctx/,
      `if (jit && ++parsed > ${OFTEN} && allowsEval.value && ctx`,
    ),
  ),
  // esbuild keeps every operation because of the computed keys of its array; marked as pure, unused ones are dropped.
  edited('unused-operations', /[/\\]@aws-sdk[/\\][^/\\]+[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/, (text) =>
    text.replaceAll(/^((?:export )?var \w+\$? = )(\[.*\]|\[[\s\S]*?^\]);$/gm, '$1/* @__PURE__ */ (() => ($2))();'),
  ),
];

/** The number of uses of a schema after which compiling it pays. */
const OFTEN = 8;

const replaced = (text: string, what: RegExp, by: string): string => {
  if (!what.test(text)) throw new Error(`${what} is not in the package any more`);
  return text.replace(what, by);
};

/** A Lambda function always has credentials in the environment, so it never needs the SDK to find them. */
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

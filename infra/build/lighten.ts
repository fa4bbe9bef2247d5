import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const mcpValidator = `
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

/** Leaves out of a function's bundle what its packages carry for other places: half a megabyte. */
export const lighten = (): readonly Plugin[] => [
  // zod's error texts in fifty languages; we speak one.
  instead('one-locale', /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/, "export { default as en } from './en.js';"),
  // In a Lambda function credentials are in the environment; files, sign-in and metadata services are not there.
  instead(
    'environment-credentials',
    /[/\\]@aws-sdk[/\\]credential-provider-node[/\\]dist-es[/\\]index\.js$/,
    "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  ),
  // Reads a browser's name for the SDK's user agent.
  instead('no-browser', /[/\\]bowser[/\\].*\.m?js$/, 'export default {};'),
  // MCP's package carries an ajv of its own; ours does the same.
  instead('one-ajv', /[/\\]@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/, mcpValidator),
  unusedSchemas,
];

const instead = (name: string, filter: RegExp, contents: string): Plugin => ({
  name,
  setup: ({ onLoad }) => onLoad({ filter }, () => ({ contents })),
});

/** The SDK describes every operation by an array that esbuild dares not drop for its computed keys: they are pure. */
const unusedSchemas: Plugin = {
  name: 'unused-schemas',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]@aws-sdk[/\\][^/\\]+[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(
        /^(export var \w+\$? = |var \w+\$? = )(\[.*\]|\[[\s\S]*?^\]);$/gm,
        '$1/* @__PURE__ */ (() => ($2))();',
      );
      return { contents };
    }),
};

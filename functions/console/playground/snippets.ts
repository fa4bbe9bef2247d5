import type { ProviderRequest } from './provider-request.ts';

export const LANGUAGES = ['JSON', 'curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A request as a command or code; the key is read from the environment and never part of the text. */
export const writeRequest = (language: Language, { url, auth }: ProviderRequest, body: unknown): string => {
  const json = JSON.stringify(body, null, 2);
  const [header, prefix, variable] = auth ?? [];
  switch (language) {
    case 'JSON':
      return json;
    case 'curl':
      return [
        `curl ${url} \\`,
        ...(auth ? [`  -H "${header}: ${prefix}$${variable}" \\`] : []),
        "  -H 'content-type: application/json' \\",
        ...(header === 'x-api-key' ? ["  -H 'anthropic-version: 2023-06-01' \\"] : []),
        // A single quote inside a single-quoted shell word.
        `  -d '${json.replaceAll("'", `'\\''`)}'`,
      ].join('\n');
    case 'TypeScript':
      return [
        ...(auth ? ["import { env } from 'node:process';", ''] : []),
        `const response = await fetch(${JSON.stringify(url)}, {`,
        "  method: 'POST',",
        '  headers: {',
        "    'content-type': 'application/json',",
        ...(auth ? [`    ${JSON.stringify(header)}: \`${prefix}\${env.${variable}}\`,`] : []),
        ...(header === 'x-api-key' ? ["    'anthropic-version': '2023-06-01',"] : []),
        '  },',
        `  body: JSON.stringify(${indent(json, 2)}),`,
        '});',
        'console.log(await response.json());',
      ].join('\n');
    case 'Python':
      return [
        'import json, os, urllib.request',
        '',
        `body = json.loads(r'''${escapePython(json)}''')`,
        `request = urllib.request.Request(${JSON.stringify(url)}, json.dumps(body).encode(), {`,
        '    "content-type": "application/json",',
        ...(auth ? [`    ${JSON.stringify(header)}: ${JSON.stringify(prefix)} + os.environ["${variable}"],`] : []),
        ...(header === 'x-api-key' ? ['    "anthropic-version": "2023-06-01",'] : []),
        '})',
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n');
  }
};

const indent = (json: string, by: number): string => json.replaceAll('\n', `\n${' '.repeat(by)}`);

/** Single quotes would end Python's string; JSON may write them as escapes. */
const escapePython = (json: string): string => json.replaceAll("'", '\\u0027');

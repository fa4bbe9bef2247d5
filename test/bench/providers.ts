import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Tool } from '../../shared/model/tool.ts';
import { assemble, convert, defineTool, nameTable, parseCalls, providerNames } from '../../shared/providers/index.ts';
import { judge, printTable } from './report.ts';

const ROUNDS = 15;

/** Definitions of 1,000 tools in a new process, in warm code and from cached fragments; and parsing of long streams. */
export async function bench(args: readonly string[]): Promise<void> {
  if (args[0] === 'cold') {
    console.log(time(() => convert(String(args[1]), catalogue(1000), args[2] === 'strict' ? { strict: true } : {})));
    return;
  }
  benchDefinitions(Number(args[0] ?? ROUNDS));
  benchParsing();
}

function benchDefinitions(rounds: number): void {
  const tools = catalogue(1000);
  const text = JSON.stringify(tools);
  const rows = providerNames.flatMap((provider) =>
    [false, true].map((strict) => {
      const first = Array.from({ length: 3 }, () => inNewProcess(provider, strict));
      const rounded = Array.from({ length: rounds }, () => ({
        warm: time(() => convert(provider, tools, { strict })),
        parsed: time(() => JSON.parse(text)),
      }));
      const warm = Math.min(...rounded.map((round) => round.warm));
      const parsed = Math.min(...rounded.map((round) => round.parsed));
      const fragments = tools.map((tool) => defineTool(provider, tool, { strict }));
      const kept = Array.from({ length: rounds }, () => time(() => assemble(provider, fragments, { strict })));
      return {
        provider: strict ? `${provider} strict` : provider,
        'new process ms': Math.min(...first).toFixed(1),
        // The minimum of several runs, because other load only adds time.
        'warm code ms': Number(warm.toFixed(1)),
        'times JSON.parse': Number((warm / parsed).toFixed(1)),
        'kept ms': Number(Math.min(...kept).toFixed(3)),
      };
    }),
  );
  printTable(rows);
  judge(
    '1,000 tools converted anew within 100 ms',
    rows.every((row) => row.provider.endsWith(' strict') || row['warm code ms'] <= 100),
  );
}

/** Measures in a new process, with cold code and empty caches. */
function inNewProcess(provider: string, strict: boolean): number {
  const file = fileURLToPath(new URL('./bench.ts', import.meta.url));
  const args = [file, 'providers', 'cold', provider, strict ? 'strict' : 'plain'];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

function benchParsing(): void {
  const names = nameTable('openai', ['tool_1']);
  const streams = [1, 2, 4, 8].map((megabytes) => ({ megabytes, events: fragments(megabytes * 1_000_000) }));
  const rows = streams.map(({ megabytes, events }) => {
    const times = Array.from({ length: 3 }, () => time(() => parseCalls('openai', events, { names })));
    return { 'stream MB': megabytes, fragments: events.length, 'best ms': Math.min(...times).toFixed(1) };
  });
  printTable(rows);
}

function fragments(length: number): readonly unknown[] {
  const text = JSON.stringify({ image_key: 'x'.repeat(length) });
  const event = (call: unknown): unknown => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  const events = [event({ index: 0, id: 'c', function: { name: 'tool_1', arguments: '' } })];
  for (let at = 0; at < text.length; at += 20)
    events.push(event({ index: 0, function: { arguments: text.slice(at, at + 20) } }));
  return events;
}

/** Realistic tools: nested, with bounds, unions and references. */
const catalogue = (count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, index) => ({
    name: index % 3 === 0 ? `images.tool_${index}` : `tool_${index}`,
    description: `Measures property ${index} of a picture and says how far it is from what was asked for.`,
    type: 'function',
    tags: [],
    parameters: {
      type: 'object',
      properties: {
        image: { $ref: '#/$defs/Image', description: 'The picture' },
        reference: { $ref: '#/$defs/Image' },
        resize: { type: ['integer', 'null'], minimum: 1, maximum: 8192, description: 'Longest side in pixels' },
        crop: {
          type: 'object',
          properties: { left: { type: 'integer', minimum: 0 }, top: { type: 'integer', minimum: 0 } },
          required: ['left', 'top'],
          additionalProperties: false,
        },
        channels: { type: 'array', items: { type: 'string', enum: ['red', 'green', 'blue'] }, uniqueItems: true },
        gamma: { type: 'number', exclusiveMinimum: 0, default: 2.2 },
      },
      required: ['image'],
      additionalProperties: false,
      $defs: {
        Image: {
          oneOf: [
            { type: 'object', properties: { key: { type: 'string', minLength: 1 } }, required: ['key'] },
            {
              type: 'object',
              properties: { base64: { type: 'string' } },
              required: ['base64'],
              additionalProperties: false,
            },
          ],
        },
      },
    },
  }));

function time(action: () => unknown): number {
  const start = performance.now();
  action();
  return performance.now() - start;
}

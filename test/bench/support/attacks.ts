import { Buffer } from 'node:buffer';
import { crc32, deflateSync } from 'node:zlib';
import { gifOf, tiffOf } from '../../support/many-frames.ts';
import { connectionAttacks } from './connection-attacks.ts';
import { type Answered, readAnswer, type WatchedServer } from './watched-server.ts';

/** An attack with a key of the tenant `loud`; returns the answers it received. */
export type Attack = (server: WatchedServer, key: string) => Promise<readonly Answered[]>;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const times = (count: number, one: () => Promise<Answered>): Promise<readonly Answered[]> =>
  Promise.all(upTo(count).map(one));

const invoke =
  (tool: string, given: unknown, count = 1): Attack =>
  (server, key) => {
    const body = JSON.stringify({ arguments: given });
    return times(count, () => server.send(`/v1/tools/${tool}/invoke`, body, { key }));
  };

/** Registers the attacker's own tool, then calls it. */
const own =
  (definition: Readonly<Record<string, unknown>>, given: unknown, count = 1): Attack =>
  async (server, key) => {
    const name = String(definition.name);
    const mock = { type: 'mock', mock_response: 1 };
    const body = { description: 'An attack', type: 'function', handler: name, implementation: mock, ...definition };
    const made = await server.send('/v1/tools', body, { key });
    return [made, ...(await invoke(name, given, count)(server, key))];
  };

const on = (handler: string) => ({
  handler,
  parameters: { type: 'object' },
  implementation: { type: 'builtin', handler },
});

/** A black picture with one bit per pixel: 256 megapixels are a file of 31 KB. */
const png = (width: number, height = width): { readonly base64: string } => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return { base64: Buffer.concat(parts).toString('base64') };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

/** A GIF that declares a large size but contains almost no data. */
const hugeGif = (side: number): { readonly base64: string } => {
  const [low, high] = [side & 255, side >> 8];
  const screen = [low, high, low, high, 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
  const frame = [0x2c, 0, 0, 0, 0, low, high, low, high, 0, 2, 2, 0x44, 1, 0, 0x3b];
  return { base64: Buffer.from([...Buffer.from('GIF89a'), ...screen, ...frame]).toString('base64') };
};

/** An SVG in which each level uses the one below ten times. */
const nestedSvg = (): { readonly base64: string } => {
  const level = (n: number) => `<g id="l${n}">${`<use href="#l${n - 1}" x="1"/>`.repeat(10)}</g>`;
  const defs = `<g id="l0"><rect width="9" height="9"/></g>${upTo(6)
    .map((n) => level(n + 1))
    .join('')}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><defs>${defs}</defs><use href="#l6"/></svg>`;
  return { base64: Buffer.from(svg).toString('base64') };
};

const score =
  (image: unknown, count: number): Attack =>
  (server, key) => {
    const body = JSON.stringify({ image, tools: ['entropy'] });
    return times(count, () => server.send('/v1/score', body, { key }));
  };

/** Uploads far more than was announced, without a content length. */
const endlessPut: Attack = async (server, key) => {
  const announced = await server.send('/v1/uploads', { content_type: 'image/png' }, { key });
  const { url, headers } = announced.body as { readonly url: string; readonly headers: Record<string, string> };
  const chunk = new Uint8Array(1 << 20);
  let left = 600;
  const body = new ReadableStream({
    pull: (stream) => (left-- > 0 ? stream.enqueue(chunk) : stream.close()),
  });
  const put = { method: 'PUT', headers, body, duplex: 'half' } as RequestInit;
  return [
    await fetch(url, put)
      .then(readAnswer)
      .catch((thrown: Error) => ({ status: 0, says: `cut off (${thrown.message})`, charged: 0, body: undefined })),
  ];
};

/** As many small requests as 64 connections can make in three seconds. */
const flood: Attack = async (server, key) => {
  const until = Date.now() + 3000;
  const headers = { authorization: `Bearer ${key}` };
  const ask = async (): Promise<readonly Answered[]> => {
    const told: Answered[] = [];
    while (Date.now() < until) told.push(await fetch(`${server.address}/v1/tools/hash`, { headers }).then(readAnswer));
    return told;
  };
  return (await Promise.all(upTo(64).map(ask))).flat();
};

const loop = { data: {}, expression: '($f := function($x) { $f($x + 1) }; $f(1))' };
const tree = {
  $defs: {
    t: {
      anyOf: [
        { type: 'array', items: { $ref: '#/$defs/t' } },
        { type: 'array', items: { $ref: '#/$defs/t' } },
        { type: 'null' },
      ],
    },
  },
};
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** All attacks by name. */
export const attacks = (): Readonly<Record<string, Attack>> => {
  const [large, tooLarge] = [png(9990), png(16_000)];
  const enlarged = { image: png(10), width: 16_384, height: 16_384, fit: 'fill', enlarge: true };
  return {
    'first decision': async (server, key) => [
      await server.send('/v1/decide', { task: 'hash the text "a" with sha256' }, { key }),
    ],
    'flood of lookups': flood,
    'CSV bomb x 8': invoke('csv_to_json', { csv: `${','.repeat(8000)}\n${'a\n'.repeat(4000)}` }, 8),
    'endless query x 8': invoke('json_query', loop, 8),
    'nested SVG x 8': invoke('image_info', { image: nestedSvg() }, 8),
    'nested SVG, score x 8': score(nestedSvg(), 8),
    'PNG of 256 MP, score x 8': score(tooLarge, 8),
    'PNG of 256 MP, convert x 8': invoke('image_convert', { image: tooLarge, format: 'jpeg' }, 8),
    'GIF of 268 MP, score x 8': score(hugeGif(16_384), 8),
    'GIF of 268 MP, convert x 8': invoke('image_convert', { image: hugeGif(16_384), format: 'png' }, 8),
    'PNG of 100 MP, convert x 8': invoke('image_convert', { image: large, format: 'jpeg' }, 8),
    'PNG of 100 MP, score x 8': score(large, 8),
    'PNG of 99,000,000 x 1, score x 8': score(png(99_000_000, 1), 8),
    'result of 268 MP, AVIF x 8': invoke('image_resize', { ...enlarged, format: 'avif' }, 8),
    'result of 268 MP, GIF x 8': invoke('image_resize', { ...enlarged, format: 'gif' }, 8),
    'TIFF of 20,000 pages, score x 8': score({ base64: tiffOf(20_000).toString('base64') }, 8),
    'GIF of 100,000 frames, score x 8': score({ base64: gifOf(100_000).toString('base64') }, 8),
    'text of half a gigabyte x 8': invoke('json_query', { data: {}, expression: '$pad("x", 500000000)' }, 8),
    'decision on 5,000 numbers x 20': (server, key) => {
      const task = { task: `hash ${'5 '.repeat(5000)}` };
      return times(20, () => server.send('/v1/decide', task, { key }));
    },
    'infinite number': async (server, key) => [
      await server.send('/v1/tools/unit_convert/invoke', '{"arguments":{"value":1e999,"from":"km","to":"m"}}', { key }),
    ],
    'PUT of 600 MB unannounced': endlessPut,
    'text_diff, context 50,000,000': own(
      { name: 'my_diff', ...on('text_diff') },
      { before: 'a', after: 'b', context: 5e7 },
    ),
    'image_convert for nothing': own(
      { name: 'my_convert', price_micros: 0, ...on('image_convert') },
      { image: png(64), format: 'jpeg' },
    ),
    '20,000 unique objects x 8': own(
      { name: 'unique', parameters: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } } },
      { list: upTo(20_000).map((n) => ({ a: 1, n })) },
      8,
    ),
    'recursive anyOf x 8': own(
      { name: 'tree', parameters: { type: 'object', properties: { t: { $ref: '#/$defs/t' } }, ...tree } },
      { t: nested(60) },
      8,
    ),
    'long list, long enum x 8': own(
      {
        name: 'wide',
        parameters: { type: 'object', properties: { list: { type: 'array', items: { enum: upTo(9000) } } } },
      },
      { list: upTo(300_000).map(() => 8999) },
      8,
    ),
    '3,500 alternatives': own(
      {
        name: 'many',
        parameters: { type: 'object', properties: { a: { anyOf: upTo(3500).map((n) => ({ const: n })) } } },
      },
      { a: 3499 },
    ),
    '300,000 unknown fields': async (server, key) => [
      await server.send('/v1/feedback', Object.fromEntries(upTo(300_000).map((n) => [`f${n}`, 1])), { key }),
    ],
    '20,000 unknown fields x 8': (server, key) => {
      const body = JSON.stringify(Object.fromEntries(upTo(20_000).map((n) => [`f${n}`, 1])));
      return times(8, () => server.send('/v1/feedback', body, { key }));
    },
    'usage verification': async (server, key) => [
      await server.send('/v1/usage/verification', undefined, { method: 'GET', key }),
    ],
    ...connectionAttacks,
    'PUT /uploads/%zz': async (server) => [
      await fetch(`${server.address}/uploads/%zz`, { method: 'PUT', body: 'x' }).then(readAnswer),
    ],
  };
};

import { readFile, writeFile } from 'node:fs/promises';

/**
 * `node metadata/build-lpips.ts FILE`: takes the float32 weights of LPIPS on AlexNet (safetensors, `net.slice*` and `lin*`)
 * and writes `models/lpips-alex.safetensors` with the convolutions rounded to float16.
 */
const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('usage: node metadata/build-lpips.ts FILE');

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

// These convolutions are 99 % of the file; rounding the first one or the linear layers would change scores most.
const isRounded = (name: string, shape: readonly number[]): boolean =>
  shape.length === 4 && shape[1] !== 3 && name.startsWith('net.');

const file = await readFile(source);
const length = Number(file.readBigUInt64LE(0));
const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<string, Entry>;
const parts: Buffer[] = [];
const kept: Record<string, Entry> = {};
let at = 0;
for (const [name, { dtype, shape, data_offsets: place }] of Object.entries(header)) {
  if (name === '__metadata__') continue;
  if (dtype !== 'F32') throw new Error(`${name} is ${dtype}, not F32`);
  const whole = new Uint8Array(file.subarray(8 + length + place[0], 8 + length + place[1]));
  const isHalf = isRounded(name, shape);
  const bytes = Buffer.from(isHalf ? new Uint8Array(new Float16Array(new Float32Array(whole.buffer)).buffer) : whole);
  parts.push(bytes);
  kept[name] = { dtype: isHalf ? 'F16' : 'F32', shape, data_offsets: [at, at + bytes.length] };
  at += bytes.length;
}
const text = JSON.stringify(kept);
const head = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
const size = Buffer.alloc(8);
size.writeBigUInt64LE(BigInt(head.length));
await writeFile(new URL('./models/lpips-alex.safetensors', import.meta.url), Buffer.concat([size, head, ...parts]));

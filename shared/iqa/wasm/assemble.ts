/** WebAssembly instructions as bytes. */
export type Code = readonly number[];

export type ValueType = keyof typeof TYPES;

/** A function of a module: numeric parameters, then its local variables; at most one result. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly locals: readonly ValueType[];
  readonly result?: ValueType;
  readonly body: Code;
}

/** Assembles a module of functions that work on one imported memory, `env.memory`. */
export const assembleModule = (functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> => {
  const types = functions.map(({ parameters, result }) => [
    0x60,
    ...vector(parameters.map((type) => [TYPES[type]])),
    ...vector(result === undefined ? [] : [[TYPES[result]]]),
  ]);
  const memory = [...text('env'), ...text('memory'), 0x02, 0x00, 0x01];
  const exported = functions.map(({ name }, at) => [...text(name), 0x00, ...unsigned(at)]);
  const bodies = functions.map(({ locals, body }) => {
    const code = [...vector(locals.map((type) => [1, TYPES[type]])), ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    ...section(2, vector([memory])),
    ...section(3, vector(functions.map((_, at) => unsigned(at)))),
    ...section(7, vector(exported)),
    ...section(10, vector(bodies)),
  ]);
};

const TYPES = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const text = (value: string): Code => vector([...new TextEncoder().encode(value)].map((byte) => [byte]));

const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]);
const signed = (value: number): Code =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];

const simd = (operation: number, ...operands: readonly Code[]): Code => [
  ...operands.flat(),
  0xfd,
  ...unsigned(operation),
];
const binary =
  (operation: number) =>
  (a: Code, b: Code): Code =>
    simd(operation, a, b);
const unary =
  (operation: number) =>
  (a: Code): Code =>
    simd(operation, a);

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];

export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(value)],
  add: (a: Code, b: Code): Code => [...a, ...b, 0x6a],
  subtract: (a: Code, b: Code): Code => [...a, ...b, 0x6b],
  isLess: (a: Code, b: Code): Code => [...a, ...b, 0x48],
};

export const increment = (local: number, by: Code): Code => set(local, i32.add(get(local), by));

/** Moves addresses on by a number of bytes, a vector unless told otherwise. */
export const advance = (locals: readonly number[], bytes = 16): Code =>
  locals.flatMap((local) => increment(local, i32.constant(bytes)));

/** A do-while loop. */
export const repeatWhile = (body: Code, condition: Code): Code => [0x03, 0x40, ...body, ...condition, 0x0d, 0x00, 0x0b];

export const v128 = {
  zero: [0xfd, 0x0c, ...new Array<number>(16).fill(0)] as Code,
  load: (address: Code, offset = 0): Code => [...address, 0xfd, 0x00, 0x00, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    0xfd,
    0x0b,
    0x00,
    ...unsigned(offset),
  ],
  /** Loads one float32 number into all four lanes. */
  loadSplat32: (address: Code, offset = 0): Code => [...address, 0xfd, 0x09, 0x00, ...unsigned(offset)],
  /** Picks sixteen bytes of two vectors by index; those of the second begin at 16. */
  shuffle: (a: Code, b: Code, places: readonly number[]): Code => [...a, ...b, 0xfd, 0x0d, ...places],
};

export const f32x4 = {
  splatOf: unary(0x13),
  splat: (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer), 0xfd, 0x13],
  add: binary(0xe4),
  sub: binary(0xe5),
  negative: unary(0xe1),
  mul: binary(0xe6),
  div: binary(0xe7),
  abs: unary(0xe0),
  sqrt: unary(0xe3),
  max: binary(0xe9),
  /** Rounds half to even. */
  nearest: unary(0x6a),
  fromInt32: unary(0xfa),
  isLess: binary(0x43),
  /** a * b + c: rounded once on processors with a fused multiply-add, twice on others. */
  multiplyAdd: (a: Code, b: Code, c: Code): Code => simd(0x105, a, b, c),
  /** c - a * b, likewise. */
  multiplySubtract: (a: Code, b: Code, c: Code): Code => simd(0x106, a, b, c),
  first: (a: Code): Code => [...a, 0xfd, 0x1f, 0],
};

export const f64x2 = {
  splat: (value: number): Code => [0x44, ...new Uint8Array(Float64Array.of(value).buffer), 0xfd, 0x14],
  add: binary(0xf0),
  sub: binary(0xf1),
  mul: binary(0xf2),
  div: binary(0xf3),
  abs: unary(0xec),
  sqrt: unary(0xef),
  isLess: binary(0x49),
  /** Converts the lower two of four float32 numbers. */
  fromLower32: unary(0x5f),
};

/** Converts four vectors of whole float32 numbers in 0..255 to bytes. */
export const narrowToBytes = (vectors: readonly [Code, Code, Code, Code]): Code => {
  const [a, b, c, d] = vectors.map(unary(0xf8)) as [Code, Code, Code, Code];
  const narrow = binary(0x86);
  return simd(0x66, narrow(a, b), narrow(c, d));
};

/** A true comparison is -1, so subtracting it counts. */
export const i64x2 = { sub: binary(0xd1) };
export const i32x4 = {
  add: binary(0xae),
  sub: binary(0xb1),
  /** Multiplies eight pairs of int16 and adds neighbouring products. */
  dot: binary(0xba),
};

export const i16x8 = {
  add: binary(0x8e),
  sub: binary(0x91),
  /** Widens the lower eight of sixteen unsigned bytes. */
  fromLowerBytes: unary(0x89),
  fromUpperBytes: unary(0x8a),
};

const numbers = (sizes: readonly (readonly [bytes: 1 | 2 | 3 | 4 | 8, value: number])[]): Buffer =>
  Buffer.concat(
    sizes.map(([bytes, value]) => {
      const buffer = Buffer.alloc(8);
      buffer.writeBigUInt64LE(BigInt(value));
      return buffer.subarray(0, bytes);
    }),
  );

/** A GIF animation of one pixel. */
export const gifOf = (frames: number): Buffer => {
  const screen = Buffer.from([1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]);
  const frame = Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([Buffer.from('GIF89a'), screen, ...new Array<Buffer>(frames).fill(frame), Buffer.from([0x3b])]);
};

/** A WebP animation whose frames are all the given WebP picture of one pixel. */
export const webpOf = (frames: number, picture: Buffer): Buffer => {
  const chunk = (name: string, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from(name), numbers([[4, data.length]]), data, Buffer.alloc(data.length % 2)]);
  const frame = chunk('ANMF', Buffer.concat([Buffer.alloc(12), Buffer.from([10, 0, 0, 0]), picture.subarray(12)]));
  const head = chunk('VP8X', Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
  const all = [head, chunk('ANIM', Buffer.alloc(6)), ...new Array<Buffer>(frames).fill(frame)];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...all]));
};

/** A TIFF or BigTIFF with pages of one pixel. */
export const tiffOf = (pages: number, isBig = false): Buffer => {
  const [head, count, entry] = isBig ? [16, 8, 20] : [8, 2, 12];
  const tags: readonly (readonly [tag: number, value: number])[] = [
    ...[256, 257, 258, 259, 262].map((tag) => [tag, tag === 258 ? 8 : 1] as const),
    [273, head],
    ...[277, 278, 279].map((tag) => [tag, 1] as const),
  ];
  const size = count + tags.length * entry + (isBig ? 8 : 4);
  const page = (at: number): Buffer => {
    const next = at === pages - 1 ? 0 : head + 2 + (at + 1) * size;
    const fields = tags.map(([tag, value]) =>
      isBig
        ? numbers([
            ...([
              [2, tag],
              [2, 4],
              [8, 1],
              [8, value],
            ] as const),
          ])
        : numbers([
            ...([
              [2, tag],
              [2, 4],
              [4, 1],
              [4, value],
            ] as const),
          ]),
    );
    return Buffer.concat([numbers([[count as 2, tags.length]]), ...fields, numbers([[isBig ? 8 : 4, next]])]);
  };
  const first = isBig
    ? numbers([
        [2, 0x4949],
        [2, 43],
        [2, 8],
        [2, 0],
        [8, head + 2],
      ])
    : numbers([
        [2, 0x4949],
        [2, 42],
        [4, head + 2],
      ]);
  return Buffer.concat([first, Buffer.alloc(2), ...Array.from({ length: pages }, (_, at) => page(at))]);
};

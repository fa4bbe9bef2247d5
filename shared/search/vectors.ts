/** The encoder vectors of tools, compared with the vector of a request. */
export interface Vectors {
  readonly size: number;
  /** Stores a tool's vector in the packed form. */
  set(name: string, packed: Int8Array): void;
  remove(name: string): void;
  has(name: string): boolean;
  /** The cosine of each tool with the request; undefined if a vector is missing, as comparing only some is unfair. */
  similarities(names: readonly string[], request: Float32Array): ReadonlyMap<string, number> | undefined;
  /** The nearest tools, nearest first. */
  nearest(request: Float32Array, limit: number, accept: (name: string) => boolean): readonly string[];
}

export const createVectors = (): Vectors => {
  const places = new Map<string, number>();
  const free: number[] = [];
  let width = 0;
  let pool = new Int8Array(0);
  let lengths = new Float32Array(0);

  const reserve = (place: number): void => {
    if ((place + 1) * width <= pool.length) return;
    const [widerPool, moreLengths] = [new Int8Array((place + 8) * 2 * width), new Float32Array((place + 8) * 2)];
    widerPool.set(pool);
    moreLengths.set(lengths);
    pool = widerPool;
    lengths = moreLengths;
  };

  const product = (place: number, request: Float32Array): number => {
    let sum = 0;
    for (let at = 0, from = place * width; at < width; at++)
      sum += (request[at] as number) * (pool[from + at] as number);
    return sum;
  };
  const cosine = (place: number, request: Float32Array): number => product(place, request) / (lengths[place] || 1);

  /** Dot products by place; four at a time, because a single sum stalls on each of its additions. */
  const products = (request: Float32Array): Float64Array => {
    const found = new Float64Array(places.size + free.length);
    let place = 0;
    for (; place + 3 < found.length; place += 4) {
      let [one, two, three, four] = [0, 0, 0, 0];
      for (let at = 0, from = place * width; at < width; at++, from++) {
        const wanted = request[at] as number;
        one += wanted * (pool[from] as number);
        two += wanted * (pool[from + width] as number);
        three += wanted * (pool[from + 2 * width] as number);
        four += wanted * (pool[from + 3 * width] as number);
      }
      found[place] = one;
      found[place + 1] = two;
      found[place + 2] = three;
      found[place + 3] = four;
    }
    for (; place < found.length; place++) found[place] = product(place, request);
    return found;
  };

  return {
    get size() {
      return places.size;
    },
    set(name, packed) {
      if (places.size === 0) width = packed.length;
      if (packed.length !== width) return;
      const place = places.get(name) ?? free.pop() ?? places.size;
      reserve(place);
      pool.set(packed, place * width);
      lengths[place] = lengthOf(packed);
      places.set(name, place);
    },
    remove(name) {
      const place = places.get(name);
      if (place !== undefined) free.push(place);
      places.delete(name);
    },
    has: (name) => places.has(name),
    similarities(names, request) {
      const found = new Map<string, number>();
      for (const name of names) {
        const place = places.get(name);
        if (place === undefined || request.length !== width) return undefined;
        found.set(name, cosine(place, request));
      }
      return found;
    },
    nearest(request, limit, accept) {
      if (request.length !== width) return [];
      const sums = products(request);
      const best: { readonly name: string; readonly similarity: number }[] = [];
      for (const [name, place] of places) {
        const similarity = (sums[place] as number) / (lengths[place] || 1);
        if (best.length >= limit && similarity <= (best.at(-1)?.similarity ?? 0)) continue;
        if (!accept(name)) continue;
        best.push({ name, similarity });
        best.sort((one, other) => other.similarity - one.similarity || (one.name < other.name ? -1 : 1));
        best.length = Math.min(best.length, limit);
      }
      return best.map(({ name }) => name);
    },
  };
};

/** Quantises a vector to one byte per dimension, the largest at 127; only its direction is kept. */
export const packVector = (vector: Float32Array): Int8Array => {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
};

const lengthOf = (packed: Int8Array): number => Math.sqrt(packed.reduce((sum, value) => sum + value * value, 0));

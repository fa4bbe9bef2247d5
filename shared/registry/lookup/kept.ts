interface Limits {
  readonly entries: number;
  readonly bytes: number;
}

/** Keeps the most recently used values within a number and a size. */
export class Kept<T> {
  readonly #values = new Map<string, { readonly value: T; readonly bytes: number }>();
  readonly #limits: Limits;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get(key: string): T | undefined {
    const found = this.#values.get(key);
    if (!found) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found.value;
  }

  set(key: string, value: T, bytes: number): void {
    this.#remove(key);
    if (bytes > this.#limits.bytes) return;
    this.#values.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }
}

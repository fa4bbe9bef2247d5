/** Names in code-point order, cheap to update singly and to page through. */
export class SortedNames {
  #names: string[] = [];

  get all(): readonly string[] {
    return this.#names;
  }

  /** The index of the first name after the given one. */
  indexAfter(name: string): number {
    const at = this.#lowerBound(name);
    return this.#names[at] === name ? at + 1 : at;
  }

  add(names: readonly string[]): void {
    // Inserting one by one moves the tail each time: for many names, sorting once is cheaper.
    if (names.length > 64) {
      this.#names = [...new Set([...this.#names, ...names])].sort();
      return;
    }
    for (const name of names) {
      const at = this.#lowerBound(name);
      if (this.#names[at] !== name) this.#names.splice(at, 0, name);
    }
  }

  remove(name: string): void {
    const at = this.#lowerBound(name);
    if (this.#names[at] === name) this.#names.splice(at, 1);
  }

  #lowerBound(name: string): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#names[middle] ?? '') < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

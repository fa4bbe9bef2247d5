import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** Compares with the kept file; `UPDATE_GOLDEN=1` writes it anew. */
export function assertGolden(name: string, text: string): void {
  const file = new URL(`../golden/plan/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}

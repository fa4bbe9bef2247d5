import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/**
 * Hono takes the elements of a component with several roots out and puts them back whenever its state changes, if
 * something follows it: the focus is lost, and so is a press that is under way.
 */
test('X.27 every component of the console has one root element', () => {
  const folder = new URL('../../functions/console/', import.meta.url);
  const several = globSync('**/*.tsx', { cwd: folder }).filter((path) =>
    /(return|=>) \(?\s*<>/.test(readFileSync(new URL(path, folder), 'utf8')),
  );
  assert.deepEqual(several, []);
});

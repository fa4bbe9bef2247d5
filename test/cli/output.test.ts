import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatTable, shortTime } from '../../functions/cli/output.ts';
import { terminalWidth, wrap } from '../../functions/cli/wrap.ts';

interface Row {
  readonly name: string;
  readonly about: string;
}

const table = (rows: readonly Row[], width: number): readonly string[] =>
  formatTable(
    rows,
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'KIND', value: () => 'image quality' },
      { title: 'ABOUT', value: ({ about }) => about },
    ],
    width,
  ).split('\n');

const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });

describe('X.28 what a command prints', () => {
  test('a table fits the terminal and keeps its name column; a pipe gets the last column uncut', () => {
    const about = 'scales or shrinks a picture to a width, a height or both, keeping its proportions';
    const rows = [{ name: 'image_resize_to_fit', about }];

    for (const width of [60, 80, 120]) {
      const lines = table(rows, width);
      assert.ok(
        lines.every((line) => line.length <= width),
        lines.join('\n'),
      );
      assert.match(lines[1] ?? '', /^image_resize_to_fit {2}/);
    }
    const [, narrow] = table([{ name: '01M7QGHG3AJB72335MGZSDCT8S', about }], 40);
    assert.match(narrow ?? '', /^01M7QGHG3AJB72335MGZSDCT8S /, 'rather without a column than with half an id');
    assert.ok(table(rows, Number.POSITIVE_INFINITY).at(1)?.endsWith(about));
  });

  test('text is wrapped between words, continues under its column, and loses nothing', () => {
    assert.equal(
      wrap('  runs watch  Follows a run to its end, and asks', 32),
      '  runs watch  Follows a run to\n              its end, and asks',
    );
    assert.equal(
      wrap('see https://example.com/a/very/long/address now', 20),
      'see\n  https://example.com/a/very/long/address\n  now',
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 120 }), (given, width) => {
        const lines = wrap(given.join(' '), width).split('\n');
        assert.deepEqual(lines.join(' ').trim().split(/\s+/), given);
        assert.ok(lines.every((line) => line.length <= width));
      }),
    );
  });

  test('a terminal of unknown width counts as 80 columns, and a pipe has no limit', () => {
    const widths = [{ isTTY: true, columns: 60 }, { isTTY: true, columns: 0 }, { isTTY: true }, {}].map(terminalWidth);
    assert.deepEqual(widths, [60, 80, 80, Number.POSITIVE_INFINITY]);
  });

  test('a time of today is printed as its hour, another one with its date', () => {
    const now = new Date(2026, 10, 18, 20);
    assert.equal(shortTime(new Date(2026, 10, 18, 9, 5, 7).toISOString(), now), '09:05:07');
    assert.equal(shortTime(new Date(2026, 10, 17, 9, 5, 7).toISOString(), now), '2026-11-17 09:05');
    assert.equal(shortTime('', now), '');
  });
});

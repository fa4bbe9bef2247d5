import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoresCsv } from '../../functions/cli/score-table.ts';
import { formatCsv } from '../../shared/kernel/csv.ts';

test('CSV quotes commas, quotes and line breaks, and leaves numbers as they are', () => {
  assert.equal(
    formatCsv([['a,b', 'say "hi"', 'two\nlines', -1.5, undefined]]),
    '"a,b","say ""hi""","two\nlines",-1.5,\r\n',
  );
});

test('a file name that starts like a formula stays text in a spreadsheet', () => {
  const error = { code: 'InvalidInput', message: '@SUM(1)' };
  const [, row] = scoresCsv([{ file: '=HYPERLINK("http://example.com")', error }]).split('\n');

  assert.equal(row, '"\'=HYPERLINK(""http://example.com"")",,,,,,,\'@SUM(1)');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';

test('lines that are written together keep their own level, time, message and fields', () => {
  let [text, now] = ['', 1000];
  const log = jsonLog(
    (written) => {
      text += written;
    },
    () => now,
  );
  log.info('request', { path: '/a"b' });
  log.info('request', { path: '/c' });
  log.info('stopped', { at: 1n });
  log.warn('stopped');
  now = 2000;
  log.warn('stopped');
  log.flush();

  const [early, late] = ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:02.000Z'];
  assert.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { level: 'info', time: early, message: 'request', path: '/a"b' },
      { level: 'info', time: early, message: 'request', path: '/c' },
      {
        level: 'info',
        time: early,
        message: 'stopped',
        unwritable: 'TypeError: Do not know how to serialize a BigInt',
      },
      { level: 'warn', time: early, message: 'stopped' },
      { level: 'warn', time: late, message: 'stopped' },
    ],
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { currentTraceparent } from '../../shared/kernel/trace.ts';
import { createTracer } from '../../shared/kernel/tracer.ts';

const request = { name: 'POST /v1/tools/:name/invoke', kind: 'server', mayCall: true } as const;

const countedTracer = () => {
  let made = 0;
  const randomHex = (bytes: number): string => String(++made).padStart(bytes * 2, '0');
  const tracer = createTracer({ now: () => 0, randomHex, sinks: [] });
  return { tracer, made: () => made };
};

describe('unrecorded traces', () => {
  test('an unrecorded trace has no ids until something is called in it', () => {
    const { tracer, made } = countedTracer();

    assert.equal(
      tracer.begin(request)?.run(() => 'done'),
      'done',
    );
    assert.equal(made(), 0);
  });

  test('an unrecorded trace is propagated under the same ids however often it is asked for', () => {
    const { tracer, made } = countedTracer();

    const seen = tracer.begin(request)?.run(() => [currentTraceparent(), currentTraceparent()]);

    assert.match(seen?.[0] ?? '', /^00-0{31}1-0{15}2-00$/);
    assert.equal(seen?.[0], seen?.[1]);
    assert.equal(made(), 2);
  });

  test("an unrecorded trace continues the caller's ids", () => {
    const { tracer, made } = countedTracer();
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: false };

    const segment = tracer.begin({ ...request, parent });

    assert.equal(segment?.run(currentTraceparent), `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`);
    assert.equal(segment?.isRemote, true);
    assert.equal(made(), 0);
  });
});

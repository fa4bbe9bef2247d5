import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCallCounters } from '../../shared/insight/call-counters.ts';
import { serveAssay } from '../support/process.ts';
import { aRecord } from '../support/records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LINE = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+)$/;

describe('Prometheus metrics', () => {
  test('Prometheus metrics count calls by outcome and duration', () => {
    const counters = createCallCounters();
    counters.observe('t', aRecord({ tool: 'add', status: 'ok', duration_ms: 4, charged_micros: 30 }));
    counters.observe('t', aRecord({ tool: 'add', status: 'ok', duration_ms: 70_000, charged_micros: 30 }));
    counters.observe('t', aRecord({ tool: 'a"b', status: 'refused', charged_micros: 0 }));
    const text = counters.text();

    assert.match(text, /^assay_calls_total\{tool="add",status="ok",cached="false"\} 2$/m);
    assert.match(text, /^assay_calls_total\{tool="a\\"b",status="refused",cached="false"\} 1$/m);
    assert.match(text, /^assay_charged_micros_total 60$/m);
    assert.match(text, /_bucket\{tool="add",le="0.005"\} 1\n.*le="0.01"\} 1\n/);
    assert.match(text, /_bucket\{tool="add",le="60"\} 1\n.*le="\+Inf"\} 2\n/);
    assert.match(text, /_sum\{tool="add"\} 70.004\n.*_count\{tool="add"\} 2\n/);
  });

  test('Prometheus metrics of more tools than the label limit are counted together', () => {
    const counters = createCallCounters();
    for (let n = 0; n < 600; n++) counters.observe('t', aRecord({ tool: `tool_${n}` }));

    assert.match(counters.text(), /^assay_calls_total\{tool="other",status="ok",cached="false"\} 100$/m);
  });

  test('Prometheus metrics are served to an admin key, or from this machine without a key when so configured', async (t) => {
    const cwd = await temporaryDirectory(t);
    const closed = await serveAssay({ cwd });
    const headers = { authorization: `Bearer ${closed.adminKey}` };
    await fetch(`${closed.address}/v1/tools/base64/invoke`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { text: 'a', operation: 'encode' } }),
    });
    const refused = await fetch(`${closed.address}/metrics`);
    const told = await fetch(`${closed.address}/metrics`, { headers });
    const text = await told.text();
    await closed.stop();
    const open = await serveAssay({ cwd, env: { ASSAY_METRICS: 'local' } });
    const local = await fetch(`${open.address}/metrics`);
    const passedOn = await fetch(`${open.address}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    await open.stop();

    assert.deepEqual([refused.status, told.status, local.status, passedOn.status], [401, 200, 200, 401]);
    assert.match(text, /^assay_calls_total\{tool="base64"/m);
    for (const line of text.trimEnd().split('\n')) assert.match(line, LINE);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDecision } from '../../shared/decide/render.ts';
import { decideAmong } from './catalogue.ts';

test('a decision is printed as five numbered steps and a draft', async () => {
  const lines = renderDecision(await decideAmong('read the file /etc/hosts')).split('\n');

  assert.deepEqual(
    lines.filter((line) => /^\d /u.test(line)).map((line) => line.split(/\s+/u)[1]),
    ['scenario', 'intent', 'match', 'evaluate', 'arguments'],
  );
  assert.ok(lines.includes('read_file({"path":"/etc/hosts"})'));
  assert.match(lines.join('\n'), /confidence \d+ %, valid, ready/);
  assert.match(lines.join('\n'), /-> \d+ candidates/);
});

test('a refusal prints its reason and the nearest tools, a missing argument its question', async () => {
  assert.match(
    renderDecision(await decideAmong('who painted the chapel of the city')),
    /^no tool: .*\nconfidence \d+ % that none fits$/mu,
  );
  assert.match(renderDecision(await decideAmong('send an email to my landlord')), /^missing to: What is the to\?/mu);
});

test('a decision names words as the request writes them, not their stems', async () => {
  const text = renderDecision(await decideAmong('resize the pictures'));

  assert.match(text, /from (.*, )?resize\b/);
  assert.doesNotMatch(text, /resiz\b|pictur\b/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptInstructions } from '../../shared/providers/index.ts';
import { aTool } from './support/tools.ts';

test('R3.07 the prompt joins the tools’ instructions with blank lines', () => {
  const text = promptInstructions([
    aTool({ name: 'first', instructions: 'Use first with care.\n' }),
    aTool({ name: 'second', instructions: 'Never use second twice.' }),
  ]);

  assert.equal(text, 'Use first with care.\n\nNever use second twice.');
});

test('R3.07 a tool without instructions gets text from its description and parameters', () => {
  const text = promptInstructions([
    aTool(),
    aTool({ name: 'bare', description: 'Does it', parameters: { type: 'object' } }),
  ]);

  assert.equal(
    text,
    [
      'score: Score one image without a reference.',
      'Parameters:',
      '- image_key (string, required): Key in the image store',
      '- metric (one of "niqe", "brisque", required)',
      '- resize (integer, optional): Longest side',
      '',
      'bare: Does it',
      'No parameters.',
    ].join('\n'),
  );
});

test('the prompt of no tools is empty', () => {
  assert.equal(promptInstructions([]), '');
});

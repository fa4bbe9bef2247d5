import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import { toDefinition, toDefinitions } from '../../shared/iqa/to-definitions.ts';
import { ToolDefinition } from '../../shared/model/tool.ts';
import { shippedCatalogue } from '../support/iqa.ts';

const catalogue = shippedCatalogue();
const definitionOf = (name: string) => toDefinition(catalogue.find(name) ?? assert.fail(name));

describe('image-quality tools in the registry', () => {
  test('every metric is a valid tool definition with its own name', () => {
    const definitions = [...toDefinitions(catalogue.tools), FIT_DEFINITION];

    for (const definition of definitions) ToolDefinition.parse(definition);
    assert.equal(new Set(definitions.map(({ name }) => name)).size, catalogue.tools.length + 1);
  });

  test('a metric’s definition runs on the internal handler and is cacheable', () => {
    const { implementation, cacheable, category, iqa } = definitionOf('ssim');

    assert.deepEqual(implementation, { type: 'internal', handler: 'iqa' });
    assert.equal(cacheable, true);
    assert.equal(category, 'image quality');
    assert.equal(iqa?.type, 'FR');
  });

  test('a metric’s description says what it measures and whether higher is better', () => {
    assert.match(
      definitionOf('ssim').description,
      /Compares a picture with its undistorted reference.*Higher raw scores/,
    );
    assert.match(definitionOf('niqe').description, /Judges a picture alone.*Lower raw scores are better/);
  });

  test('a full-reference tool requires a reference, a no-reference tool has no such parameter', () => {
    const ajv = new Ajv2020({ strict: false });
    const full = ajv.compile(definitionOf('ssim').parameters);
    const blind = ajv.compile(definitionOf('niqe').parameters);
    const picture = { base64: 'AAAA' };

    assert.equal(full({ image: picture, reference: { key: 'a.png' } }), true);
    assert.equal(full({ image: picture }), false);
    assert.equal(blind({ image: picture }), true);
    assert.equal(blind({ image: picture, reference: picture }), false);
    assert.equal(blind({ image: { url: 'https://example.org/a.png' } }), false);
    assert.equal(blind({ image: { key: 'a', base64: 'AAAA' } }), false);
  });

  test('a plus sign in a metric’s name is spelled out, and search by name finds it', () => {
    assert.equal(definitionOf('lpips+').name, 'lpips-plus');
    assert.equal(catalogue.find('lpips-plus')?.name, 'lpips+');
  });
});

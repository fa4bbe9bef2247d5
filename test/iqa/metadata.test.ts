import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { metadataJsonSchema } from '../../metadata/build-schema.ts';
import { IQA_PYTORCH_IDENTIFIERS, OTHER_IDENTIFIERS } from '../../shared/iqa/identifiers.ts';
import { loadMetadata, parseMetadata } from '../../shared/iqa/metadata.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { Distortion } from '../../shared/model/iqa.ts';

const FILE = 'metadata/tools.json';
const readText = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

const SEED_EXAMPLE = `{
  "TOPIQ_FR": {
    "type": "FR",
    "strengths": ["Blurs", "Color distortions", "Compression", "Noise", "Brightness change", "Sharpness", "Contrast"],
    "logistic_params": {"beta1": 5.0, "beta2": 1.0, "beta3": 0.5, "beta4": 0.1}
  },
  "QAlign": {
    "type": "NR",
    "strengths": ["Blurs", "Color distortions", "Noise", "Brightness change", "Spatial distortions", "Sharpness"],
    "logistic_params": {"beta1": 5.0, "beta2": 1.0, "beta3": 3.0, "beta4": 0.5}
  }
}`;

const faultOf = (text: string): Fault => {
  try {
    parseMetadata(text, 'tools.json');
  } catch (thrown) {
    assert.ok(thrown instanceof Fault);
    return thrown;
  }
  assert.fail('nothing was refused');
};

describe('tool metadata', () => {
  test('R0.01 the shipped tools load from metadata/tools.json', async () => {
    const catalogue = await loadMetadata(FILE, readText);

    assert.equal(catalogue.tools.length >= 94, true);
    assert.equal(catalogue.find('ssim')?.type, 'FR');
    assert.equal(catalogue.find('no_such_tool'), undefined);
  });

  test('R0.01 a missing metadata file gives an error with its name', async () => {
    await assert.rejects(loadMetadata('metadata/absent.json', readText), (thrown: Fault) => {
      assert.equal(thrown.code, 'NotFound');
      assert.match(thrown.message, /metadata\/absent\.json cannot be read: .*ENOENT/);
      return true;
    });
  });

  test('R0.01 invalid JSON gives an error with the file, the line and the column', () => {
    const fault = faultOf('{\n  "ssim": {\n    "type": "FR",,\n  }\n}');

    assert.equal(fault.code, 'InvalidInput');
    assert.match(fault.message, /^tools\.json line 3 column 18 is not valid JSON/);
    assert.deepEqual([fault.details.line, fault.details.column], [3, 18]);
  });

  test('R0.01 the error of truncated JSON points to its end', () => {
    assert.match(faultOf('{\n  "ssim"').message, /^tools\.json line 2 column 9/);
  });

  test('R0.02 the seed’s example loads unchanged, with IQA-PyTorch’s names', () => {
    const { tools, find, warnings } = parseMetadata(SEED_EXAMPLE, 'seed.json');

    assert.deepEqual(
      tools.map(({ name }) => name),
      ['qalign', 'topiq_fr'],
    );
    assert.equal(find('TOPIQ_FR'), find('topiq_fr'));
    assert.equal(find('QAlign')?.logistic_params?.beta3, 3);
    assert.deepEqual(warnings, []);
  });

  test("R0.02 the shipped topiq_fr and qalign carry the seed's strengths and parameters", async () => {
    const shipped = await loadMetadata(FILE, readText);

    for (const tool of parseMetadata(SEED_EXAMPLE, 'seed.json').tools) {
      const { type, strengths, logistic_params } = shipped.find(tool.name) ?? assert.fail(tool.name);
      assert.deepEqual({ name: tool.name, type, strengths, logistic_params }, tool);
    }
  });

  test('R0.02 the shipped metadata declares every metric of IQA-PyTorch, and no other', async () => {
    const names = (await loadMetadata(FILE, readText)).tools.map(({ name }) => name);

    assert.deepEqual(
      IQA_PYTORCH_IDENTIFIERS.filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(
      names.filter((name) => ![...IQA_PYTORCH_IDENTIFIERS, ...OTHER_IDENTIFIERS].includes(name)),
      [],
    );
  });

  test('R0.02 tool names are accepted in any case, by alias, and with the plus sign spelled out', async () => {
    const { find } = await loadMetadata(FILE, readText);

    assert.equal(find('ToPiQ_Fr')?.name, 'topiq_fr');
    assert.equal(find('Q-Align')?.name, 'qalign');
    assert.equal(find('lpips-plus')?.name, 'lpips+');
  });

  test('R0.02 two tools with one name are refused with the position of the second', () => {
    const fault = faultOf('{\n"ssim": {"type": "FR", "strengths": []},\n"SSIM": {"type": "FR", "strengths": []}\n}');

    assert.match(fault.message, /line 3 column 1: SSIM and ssim share a name/);
  });

  test('R0.03 an unknown type is refused with its position', () => {
    const fault = faultOf('{\n  "ssim": {\n    "type": "XR",\n    "strengths": []\n  }\n}');

    assert.match(fault.message, /^tools\.json line 3 column 5 is not valid: ssim\.type .*"FR".*"NR".*got "XR"/);
  });

  test('R0.03 an unknown distortion category is refused, and the error lists the known ones', () => {
    const fault = faultOf('{"ssim": {"type": "FR", "strengths": ["Blurs", "Ghosts"]}}');

    assert.match(fault.message, /ssim\.strengths\.1 .*got "Ghosts"/);
    for (const category of Distortion.options) assert.match(fault.message, new RegExp(category));
  });

  test('R0.03 missing logistic_params are a warning, not an error', () => {
    const { warnings } = parseMetadata('{"ssim": {"type": "FR", "strengths": []}}', 'tools.json');

    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^ssim has no logistic_params/);
  });

  test('R0.03 an unknown field and a divisor of zero are refused', () => {
    assert.match(
      faultOf('{"ssim": {"type": "FR", "strengths": [], "colour": 1}}').message,
      /unknown field ssim\.colour/,
    );
    const params = '{"beta1": 5, "beta2": 1, "beta3": 0.5, "beta4": 0}';
    assert.match(
      faultOf(`{"ssim": {"type": "FR", "strengths": [], "logistic_params": ${params}}}`).message,
      /beta4 must not be 0/,
    );
  });

  test('a name unknown to IQA-PyTorch is loaded with a warning', () => {
    const { warnings } = parseMetadata('{"mine": {"type": "NR", "strengths": []}}', 'tools.json');

    assert.ok(warnings.includes('mine is not an IQA-PyTorch identifier'));
  });

  test('R0.19 the published JSON Schema is current, and validates the shipped file and the seed', async () => {
    const published = await readText('metadata/tools.schema.json');
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(published));

    assert.equal(published, metadataJsonSchema(), 'run: node metadata/build-schema.ts');
    assert.equal(validate(JSON.parse(await readText(FILE))), true, JSON.stringify(validate.errors));
    assert.equal(validate(JSON.parse(SEED_EXAMPLE)), true);
    assert.equal(validate({ ssim: { type: 'XR', strengths: [] } }), false);
    assert.equal(validate({ ssim: { type: 'FR' } }), false);
  });
});

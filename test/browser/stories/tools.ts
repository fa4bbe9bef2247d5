import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callApi, open, type World } from '../world.ts';

export const toolStories = (world: () => World): void => {
  test('tools are found by text and filters, and an empty result says what to do', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools' });
    const found = page.getByRole('region', { name: 'Found tools' });

    await page.getByLabel('Search tools').fill('make a picture smaller');
    await found.getByRole('link', { name: 'image_resize' }).waitFor();
    await page.getByLabel('Search tools').fill('');
    await page.getByLabel('Image type').selectOption('FR');
    await page.getByLabel('Distortion').selectOption('Color distortions');
    await found.getByText(/^\d tools?$/).waitFor();
    assert.equal(await found.getByRole('link', { name: 'vsi' }).count(), 1);

    await page.getByLabel('Category').selectOption('files');
    await found.getByText('No tool matches').waitFor();
    await found.getByRole('button', { name: 'Clear the filters' }).click();
    await found.getByRole('link', { name: 'file_read' }).waitFor();
  });

  test('a tool page shows the definitions for models and runs the tool from a form of its schema', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools/unit_convert' });

    await page.getByRole('button', { name: 'anthropic' }).click();
    await page.getByText('"input_schema"').waitFor();
    await page.getByText(/about \d+ tokens/).waitFor();
    assert.equal(await page.getByRole('table').getByRole('row').count(), 4);

    await page.getByLabel('value *').fill('12');
    await page.getByLabel('from *').fill('km');
    await page.getByLabel('to *').fill('mile');
    await page.getByRole('button', { name: 'Run unit_convert' }).click();
    await page.getByRole('region', { name: 'Output' }).getByText('7.456').waitFor();
  });

  test('a tool that strict mode leaves out says so beside its definition', async (t) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const implementation = { type: 'mock', mock_response: {} };
    const tool = { name: 'choosy', description: 'Takes a city, or none', type: 'function', handler: 'choosy' };
    await callApi(world(), '/v1/tools', { ...tool, parameters, implementation });
    const { page } = await open(t, world(), { path: '#/tools/choosy' });

    await page.getByRole('button', { name: 'cohere' }).click();

    await page.getByText('With strict this tool is left out: strict_tools needs at least one').waitFor();
    await callApi(world(), '/v1/tools/choosy', undefined, 'DELETE');
  });

  test('invalid arguments are marked at their fields, and a failed call says why', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools/unit_convert' });

    await page.getByLabel('value *').fill('twelve');
    await page.getByRole('button', { name: 'Run unit_convert' }).click();
    await page.getByText('value must be number', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('value *').inputValue(), 'twelve');
    assert.equal(await page.getByLabel('value *').getAttribute('aria-invalid'), 'true');

    await page.getByLabel('value *').fill('1');
    await page.getByLabel('from *').fill('foo');
    await page.getByLabel('to *').fill('km');
    await page.getByRole('button', { name: 'Run unit_convert' }).click();
    await page
      .getByRole('alert')
      .getByText(/"foo" is not a known unit; did you mean foot/)
      .waitFor();
  });

  test('a confirm tool runs after approval, not after denial; a dangerous one is refused', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools/file_write' });
    const dialog = page.getByRole('dialog', { name: 'Run file_write?' });
    await page.getByLabel('path *').fill('note.txt');
    await page.getByLabel('content *').fill('written by consent');

    await page.getByRole('button', { name: 'Run file_write' }).click();
    await dialog.getByText('written by consent').waitFor();
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('region', { name: 'Outcome' }).count(), 0);

    await page.getByRole('button', { name: 'Run file_write' }).click();
    await dialog.getByRole('button', { name: 'Approve and run' }).click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded').waitFor();

    await page.goto(`${world().address}/#/tools/file_delete`);
    // The form before has a path of its own.
    await page.getByRole('button', { name: 'Run file_delete' }).waitFor();
    await page.getByLabel('path *').fill('note.txt');
    await page.getByRole('button', { name: 'Run file_delete' }).click();
    await page.getByText('Refused: this tool is dangerous').waitFor();
  });

  test('the page of an unknown tool suggests the nearest name', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools/unit_covert' });

    await page
      .getByRole('alert')
      .getByText(/unit_convert/)
      .waitFor();
  });

  test('X.27 a tool is registered, changed, compared, deprecated, disabled and removed in the console', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools' });
    const check = page.getByRole('region', { name: 'Check' });
    const json = page.getByLabel('The whole definition, as JSON');
    await page.getByRole('link', { name: 'Register a tool' }).click();

    await page.getByLabel('Name', { exact: true }).fill('no name');
    await check.getByText(/name must match/).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Register', exact: true }).isDisabled());
    await page.getByLabel('Name', { exact: true }).fill('story_tool');
    await check.getByText('story_tool@1.0.0').waitFor();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('heading', { name: 'story_tool', level: 1 }).waitFor();

    await page.getByRole('link', { name: 'New version' }).click();
    await page.getByLabel('Version', { exact: true }).fill('2.0.0');
    const text = await json.inputValue();
    await json.fill(text.replace('"required": [\n      "name"', '"required": [\n      "name",\n      "tongue"'));
    await json.fill(
      (await json.inputValue()).replace('"properties": {', '"properties": {"tongue": {"type": "string"},'),
    );
    await check.getByText('story_tool@2.0.0').waitFor();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    const versions = page.getByRole('region', { name: 'Versions' });
    await versions.getByText('1 change since 1.0.0, 1 breaking').click();
    await versions.getByText('added, required').waitFor();

    await versions.getByRole('button', { name: 'Make 1.0.0 the default' }).click();
    await versions.getByRole('button', { name: 'Make 2.0.0 the default' }).waitFor();
    await versions.getByRole('button', { name: 'Deprecate 2.0.0' }).click();
    await versions.getByRole('button', { name: 'Restore 2.0.0' }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the tool' }).click();
    await page.getByRole('link', { name: 'Register a tool' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'story_tool' }).count(), 0);
  });
};

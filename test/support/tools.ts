/** A valid definition; name only what matters to the test. */
export const aTool = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: 'weather_lookup',
  description: 'Look up the weather of a city',
  type: 'function',
  handler: 'weather_lookup',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  implementation: { type: 'mock', mock_response: { temperature: 21 } },
  ...fields,
});

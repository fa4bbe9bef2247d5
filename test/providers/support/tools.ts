import type { Tool } from '../../../shared/model/tool.ts';

/** A tool of which only what matters is named. */
export const aTool = (parts: Partial<Tool> = {}): Tool => ({
  name: 'score',
  description: 'Score one image without a reference.',
  type: 'function',
  tags: [],
  parameters: {
    type: 'object',
    properties: {
      image_key: { type: 'string', description: 'Key in the image store' },
      metric: { type: 'string', enum: ['niqe', 'brisque'] },
      resize: { type: 'integer', minimum: 1, description: 'Longest side' },
    },
    required: ['image_key', 'metric'],
    additionalProperties: false,
  },
  ...parts,
});

/** A tool with one parameter of the given schema. */
export const toolWith = (schema: unknown, more: Readonly<Record<string, unknown>> = {}): Tool =>
  aTool({ parameters: { type: 'object', properties: { x: schema }, required: ['x'], ...more } });

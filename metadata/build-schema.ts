import { writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { IqaMetadata } from '../shared/iqa/metadata-schema.ts';

/** The JSON Schema of the metadata file, as it is published beside it. */
export const metadataJsonSchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(IqaMetadata, { io: 'input', target: 'draft-2020-12' }), null, 2)}\n`;

if (import.meta.main) await writeFile(new URL('./tools.schema.json', import.meta.url), metadataJsonSchema());

import tools from '../../metadata/tools.json' with { type: 'json' };
import { type IqaCatalogue, parseMetadata } from './metadata.ts';

/** The image-quality tools that ship. The bundler replaces this file by one whose entries are already validated. */
export const shippedCatalogue = (): IqaCatalogue => parseMetadata(JSON.stringify(tools), 'metadata/tools.json');

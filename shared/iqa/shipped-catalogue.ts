import tools from '../../metadata/tools.json' with { type: 'json' };
import { type IqaCatalogue, parseMetadata } from './metadata.ts';

/** The image-quality tools that ship. Bundling replaces this file by one whose entries it has checked. */
export const shippedCatalogue = (): IqaCatalogue => parseMetadata(JSON.stringify(tools), 'metadata/tools.json');

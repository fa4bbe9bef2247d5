import type { Tool } from '../model/tool.ts';
import { splitIdentifier } from './text.ts';

/** Embeds texts as vectors, to be compared by cosine. */
export interface SentenceEncoder {
  /** Identifies the model and its preprocessing; vectors with different ids cannot be compared. */
  readonly id: string;
  /** The vector of a request; undefined while the model is not loaded, since no request waits for that. */
  encodeRequest(text: string): Promise<Float32Array | undefined>;
  /** The vector of a tool's text, encoded after all waiting requests. The first call loads the model. */
  encodeTool(text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/** The text of a tool that is encoded. */
export const encodedText = ({ name, description }: Pick<Tool, 'name' | 'description'>): string =>
  `${splitIdentifier(name).join(' ')}: ${(description ?? '').slice(0, DESCRIPTION_LIMIT)}`;

const DESCRIPTION_LIMIT = 1000;

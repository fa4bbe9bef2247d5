import type { Tool } from '../model/tool.ts';
import { splitIdentifier } from './text.ts';

/** Turns texts into vectors whose direction is their meaning. */
export interface SentenceEncoder {
  /** Names the model and how it is read: vectors of different ones cannot be compared. */
  readonly id: string;
  /** The vector of a request; undefined while the model is not loaded, since no request waits for that. */
  encodeRequest(text: string): Promise<Float32Array | undefined>;
  /** The vector of a tool's text, made after all requests that wait. Loads the model when it is the first. */
  encodeTool(text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/** What an encoder reads of a tool. */
export const encodedText = ({ name, description }: Pick<Tool, 'name' | 'description'>): string =>
  `${splitIdentifier(name).join(' ')}: ${(description ?? '').slice(0, DESCRIPTION_LIMIT)}`;

const DESCRIPTION_LIMIT = 1000;

import { inSpan } from '../kernel/trace.ts';
import type { IqaEngine } from './engine.ts';

/** An engine whose work is spans of the trace it belongs to. */
export const tracedEngine = (engine: IqaEngine): IqaEngine => ({
  ...engine,
  reserve: (files, tenant, signal) => inSpan('picture memory', {}, () => engine.reserve(files, tenant, signal)),
  decode: (bytes, name, signal) => inSpan('decode', { bytes: bytes.length }, () => engine.decode(bytes, name, signal)),
  score: (request) => inSpan(`inference ${request.tool}`, sizeOf(request), () => engine.score(request)),
  map: (request) => inSpan(`map ${request.tool}`, sizeOf(request), () => engine.map(request)),
  encode: (pixels, options) => inSpan('encode', { format: options.format }, () => engine.encode(pixels, options)),
});

const sizeOf = ({ picture, model }: Parameters<IqaEngine['score']>[0]) => ({
  width: picture.pixels.width,
  height: picture.pixels.height,
  learned: model !== undefined,
});

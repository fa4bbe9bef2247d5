import { inSpan } from '../kernel/trace.ts';
import type { IqaEngine } from './engine.ts';

/** Wraps an engine so that each operation is a span. */
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

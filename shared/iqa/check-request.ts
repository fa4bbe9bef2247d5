import { Fault } from '../kernel/errors.ts';
import type { ScoreRequest } from './engine.ts';

/** Whether a tool takes a reference, and the smallest picture it can score. */
export interface Needs {
  readonly reference: boolean;
  readonly minimumSide: number;
}

/** Refuses pictures the tool cannot score, naming the tool, the picture and the cure. */
export function checkRequest({ tool, picture, reference }: ScoreRequest, needs: Needs): void {
  const { width, height } = picture.pixels;
  const refuse = (text: string, details: Readonly<Record<string, unknown>> = {}): never => {
    throw new Fault('InvalidInput', text, { tool, picture: picture.name, ...details });
  };
  if (needs.reference && !reference) {
    refuse(`${tool} compares ${picture.name} with a reference, and none is given; add one or use a no-reference tool`);
  }
  if (!needs.reference && reference) {
    refuse(`${tool} takes no reference, but ${reference.name} is given for ${picture.name}; leave it out`);
  }
  if (reference && (reference.pixels.width !== width || reference.pixels.height !== height)) {
    const other = `${reference.pixels.width} x ${reference.pixels.height}`;
    refuse(
      `${tool} needs pictures of one size: ${picture.name} has ${width} x ${height}, ${reference.name} has ${other}; scale or crop one of them`,
      { size: [width, height], reference_size: [reference.pixels.width, reference.pixels.height] },
    );
  }
  if (Math.min(width, height) < needs.minimumSide) {
    refuse(
      `${tool} needs ${needs.minimumSide} pixels on each side, ${picture.name} has ${width} x ${height}; use a larger picture or another tool`,
      { size: [width, height], minimum_side: needs.minimumSide },
    );
  }
}

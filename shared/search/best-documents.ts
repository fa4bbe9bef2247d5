/** Documents and their scores, as parallel arrays. */
export interface ScoredDocuments {
  readonly documents: Uint32Array;
  readonly scores: Float64Array;
}

export interface Found {
  readonly name: string;
  readonly score: number;
  readonly document: number;
}

/**
 * The best named and accepted documents, best first, ties by name. Builds a heap in linear time and pops only until the
 * limit is reached. Reorders the arrays.
 */
export const bestDocuments = (
  { documents, scores }: ScoredDocuments,
  names: readonly (string | undefined)[],
  limit: number,
  accept?: (name: string) => boolean,
): readonly Found[] => {
  const isBetter = (score: number, document: number, other: number): boolean =>
    score === (scores[other] as number)
      ? (names[document] ?? '') < (names[documents[other] as number] ?? '')
      : score > (scores[other] as number);

  /** Sifts a document down from a gap: better children move up until it fits. */
  const settle = (gap: number, size: number, score: number, document: number): void => {
    let at = gap;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && isBetter(scores[child + 1] as number, documents[child + 1] as number, child)) child++;
      if (isBetter(score, document, child)) break;
      scores[at] = scores[child] as number;
      documents[at] = documents[child] as number;
      at = child;
    }
    scores[at] = score;
    documents[at] = document;
  };

  for (let at = (documents.length >> 1) - 1; at >= 0; at--)
    settle(at, documents.length, scores[at] as number, documents[at] as number);
  const best: Found[] = [];
  for (let size = documents.length; size > 0 && best.length < limit; size--) {
    const document = documents[0] as number;
    const name = names[document];
    if (name !== undefined && (accept === undefined || accept(name)))
      best.push({ name, score: scores[0] as number, document });
    settle(0, size - 1, scores[size - 1] as number, documents[size - 1] as number);
  }
  return best;
};

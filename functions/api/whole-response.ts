/** A response whose body is one text, with its parts beside it. */
export interface WholeResponse {
  readonly status: number;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const WHOLE: unique symbol = Symbol('whole');

interface Marked {
  [WHOLE]?: WholeResponse | undefined;
}

/**
 * A response whose parts a server may write without asking it for them, which takes several times as long. Its headers
 * must not be changed: build another response instead.
 */
export const wholeResponse = (
  body: string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response => {
  const response: Response & Marked = new Response(body, { status, headers });
  response[WHOLE] = { status, body, headers };
  return response;
};

/** The parts of a response that was made whole. */
export const partsOf = (response: Response & Marked): WholeResponse | undefined => response[WHOLE];

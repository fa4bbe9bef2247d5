/** A response of one text, as parts that a server can write without a web `Response`. */
export class WholeResponse {
  readonly body: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: string | null, status: number, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** A request whose server writes whole responses itself. */
export interface TakesWhole {
  readonly takesWhole: boolean;
}

/**
 * A response of one text: as its parts where the request's server takes them, since building a `Response` and reading
 * it again takes longer than finding a tool. Code that has such a response reads its status only.
 */
export const wholeResponse = (
  request: Request & Partial<TakesWhole>,
  body: string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response =>
  request.takesWhole === true
    ? (new WholeResponse(body, status, headers) as unknown as Response)
    : new Response(body, { status, headers });

/** The parts of a whole response; undefined for any other. */
export const partsOf = (response: object): WholeResponse | undefined =>
  response instanceof WholeResponse ? response : undefined;

/** As a `Response`, for other servers. */
export const toResponse = (response: Response): Response => {
  const parts = partsOf(response);
  return parts ? new Response(parts.body, parts) : response;
};

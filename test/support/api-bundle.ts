import { ADMIN_SECRET, ORIGIN_SECRET } from './aws-services.ts';
import { callStreaming, type Streamed, urlEvent } from './lambda.ts';

export type ApiHandler = Parameters<typeof callStreaming>[0];

export interface ApiAnswer extends Streamed {
  /** The body, if it is JSON. */
  readonly json: never;
}

export type SendToApi = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ApiAnswer>;

/** Sends requests as CloudFront does: with the secret header, the viewer's host and, by default, the admin key. */
export const sendTo =
  (handler: () => ApiHandler): SendToApi =>
  async (method, path, body, headers = {}) => {
    const [rawPath = '/', query = ''] = path.split('?');
    const event = urlEvent({
      method,
      path: rawPath,
      query,
      headers: {
        'x-assay-origin': ORIGIN_SECRET,
        'x-forwarded-host': 'd111111abcdef8.cloudfront.net',
        authorization: `Bearer ${ADMIN_SECRET}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await callStreaming(handler(), event);
    const text = answer.body.toString();
    return { ...answer, json: (text.startsWith('{') ? JSON.parse(text) : {}) as never };
  };

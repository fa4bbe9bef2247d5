import { html } from 'hono/html';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1rem}
label{display:block;margin:.4rem 0}fieldset{border:1px solid #8888;border-radius:6px;margin:1rem 0}
input[type=password]{width:100%;box-sizing:border-box;font:inherit;padding:.5rem}button{font:inherit;padding:.5rem 1.2rem;margin-right:.5rem}
.small{font-size:.85rem}[role=alert]{border-left:4px solid #c33;padding-left:.7rem}code{overflow-wrap:anywhere}`;

interface Options {
  readonly title: string;
  readonly status?: number;
  /** Where submitting the form may redirect to: browsers apply the form-action policy to redirects too. */
  readonly leadsTo?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page of our own without scripts, which cannot be framed or cached. */
export const formPage = ({ title, status = 200, leadsTo, headers = {} }: Options, content: unknown): Response => {
  const document = html`<html lang="en"><head><meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" /><title>${title}</title></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`;
  const body = `<!doctype html>${document}`.replace('</title>', `</title><style>${STYLE}</style>`);
  const targets = leadsTo === undefined ? "'self'" : `'self' ${formTarget(leadsTo)}`;
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
      ...headers,
    },
  });
};

/** A page with only a message. */
export const messagePage = (title: string, status: number, message: string): Response =>
  formPage({ title, status }, html`<p role="alert">${message}</p>`);

const formTarget = (uri: string): string => {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
};

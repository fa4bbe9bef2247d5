import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Secrets Manager with one secret, CloudFront with one distribution, and the API, as far as a rotation uses them. */
export interface RotationStub {
  readonly endpoint: string;
  /** The versions of the secret, with their texts and staging labels. */
  readonly versions: Map<string, { text: string; stages: string[] }>;
  /** The distribution's configuration, and the `If-Match` value of each update. */
  config: string;
  readonly matches: string[];
  stop(): Promise<void>;
}

const configOf = (secret: string): string =>
  `<?xml version="1.0"?><DistributionConfig><Comment>Assay</Comment><Origins><Items><Origin><CustomHeaders><Items><OriginCustomHeader><HeaderName>x-assay-bucket</HeaderName><HeaderValue>b</HeaderValue></OriginCustomHeader><OriginCustomHeader><HeaderName>x-assay-origin</HeaderName><HeaderValue>${secret}</HeaderValue></OriginCustomHeader></Items></CustomHeaders></Origin></Items></Origins></DistributionConfig>`;

export const startRotationStub = async (current: string): Promise<RotationStub> => {
  const state = {
    versions: new Map([['v1', { text: current, stages: ['AWSCURRENT'] }]]),
    config: configOf(current),
    matches: [] as string[],
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers['x-amz-target'] !== undefined) return answerSecrets(state, request, response, JSON.parse(body));
    if (request.url === '/healthz') return answerHealth(state, request, response);
    if (request.method === 'PUT') {
      state.config = body;
      state.matches.push(String(request.headers['if-match']));
    }
    response.setHeader('etag', 'E2QWRUHEXAMPLE').end(state.config);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return Object.assign(state, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop });
};

type State = Pick<RotationStub, 'versions'>;

const answerHealth = ({ versions }: State, { headers }: IncomingMessage, response: ServerResponse): void => {
  const known = [...versions.values()].some(
    (each) => each.stages.length > 0 && each.text === headers['x-assay-origin'],
  );
  response.writeHead(known ? 200 : 403).end();
};

const answerSecrets = (
  { versions }: State,
  request: IncomingMessage,
  response: ServerResponse,
  body: Readonly<Record<string, string>>,
): void => {
  const actions: Readonly<Record<string, () => unknown>> = {
    GetSecretValue: () => {
      const found = versions.get(body.VersionId ?? '');
      return found?.stages.includes(body.VersionStage ?? '') ? { SecretString: found.text } : undefined;
    },
    PutSecretValue: () =>
      versions.set(body.ClientRequestToken ?? '', { text: body.SecretString ?? '', stages: ['AWSPENDING'] }),
    DescribeSecret: () => ({
      VersionIdsToStages: Object.fromEntries([...versions].map(([id, { stages }]) => [id, stages])),
    }),
    UpdateSecretVersionStage: () => {
      for (const [id, each] of versions) each.stages = id === body.MoveToVersionId ? ['AWSCURRENT'] : ['AWSPREVIOUS'];
      return {};
    },
    GetRandomPassword: () => ({ RandomPassword: 'n'.repeat(Number(body.PasswordLength)) }),
  };
  const answer = actions[String(request.headers['x-amz-target']).split('.')[1] ?? '']?.();
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  if (answer === undefined) response.statusCode = 400;
  response.end(JSON.stringify(answer ?? { __type: 'ResourceNotFoundException', message: 'there is none' }));
};

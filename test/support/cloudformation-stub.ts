import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Template {
  readonly Resources?: Readonly<Record<string, { readonly Type: string }>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}
interface Stack {
  readonly name: string;
  template: string;
  status: string;
}

const ACCOUNT = '111111111111';

/** An error in the service's format. */
class ServiceError extends Error {
  readonly code: string;
  constructor(message: string, code = 'ValidationError') {
    super(message);
    this.code = code;
  }
}

/**
 * The part of AWS that `cdk deploy` and `cdk destroy` use, over HTTP. Stacks follow CloudFormation's rules on exports:
 * an importing stack is deployed after the exporting one and removed before it.
 */
export class CloudFormationStub {
  /** Every call, as `Action name`. */
  readonly calls: string[] = [];
  /** Stacks in the order of their finished deployments and of their removals. */
  readonly deployed: string[] = [];
  readonly removed: string[] = [];
  /** Objects that were put into S3. */
  readonly objects: string[] = [];
  /** How many removals of the edge stack still fail, because CloudFront has replicas of its function. */
  replicated = 0;
  readonly #stacks = new Map<string, Stack>();
  readonly #changes = new Map<string, { readonly name: string; readonly template: string }>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        const target = String(request.headers['x-amz-target'] ?? '');
        try {
          if (target !== '') response.end(JSON.stringify(this.#json(target.split('.')[1] ?? '')));
          else if (request.url !== '/') this.#s3(request.method ?? '', request.url ?? '', body, response);
          else response.setHeader('content-type', 'text/xml').end(this.#query(new URLSearchParams(String(body))));
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          const { code, message } = error;
          response.statusCode = 400;
          response.end(
            target === ''
              ? `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`
              : JSON.stringify({ __type: code, message }),
          );
        }
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** SSM and ECR of a bootstrapped account without images. */
  #json(action: string): unknown {
    this.calls.push(action);
    if (action === 'GetParameter') return { Parameter: { Name: 'version', Value: '30', Type: 'String' } };
    if (action === 'DescribeRepositories') return { repositories: [{ repositoryUri: `${ACCOUNT}.dkr.test/assets` }] };
    if (action === 'GetAuthorizationToken')
      return { authorizationData: [{ authorizationToken: btoa('AWS:secret'), proxyEndpoint: 'https://dkr.test' }] };
    throw new ServiceError('The image is not there', 'ImageNotFoundException');
  }

  /** S3 that already has all bundles, so that the test need not build them, but no templates. */
  #s3(method: string, url: string, body: Buffer, response: import('node:http').ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const [, bucket = '', ...path] = pathname.split('/');
    const key = searchParams.get('prefix') ?? path.join('/');
    this.calls.push(`s3:${method} ${key}`);
    if (method === 'PUT') this.objects.push(key);
    const there = key.endsWith('.zip') ? `<Contents><Key>${key}</Key><Size>1000</Size></Contents>` : '';
    response.setHeader('content-type', 'application/xml');
    if (searchParams.has('list-type'))
      response.end(`<ListBucketResult><Name>${bucket}</Name><KeyCount>0</KeyCount>${there}</ListBucketResult>`);
    else if (method === 'GET' && searchParams.has('location')) response.end('<LocationConstraint/>');
    else if (method === 'GET') response.end('<ServerSideEncryptionConfiguration/>');
    else response.end();
    if (method === 'PUT') this.#templates.set(key, String(body));
  }
  readonly #templates = new Map<string, string>();

  /** STS and CloudFormation. */
  #query(fields: URLSearchParams): string {
    const action = fields.get('Action') ?? '';
    const given = fields.get('StackName') ?? '';
    const name = nameOf(given);
    // A deleted stack is found by its id only.
    if (given === name && this.#stacks.get(name)?.status === 'DELETE_COMPLETE') this.#stacks.delete(name);
    this.calls.push(`${action} ${name}`.trim());
    const answer = this.#answers[action];
    if (!answer) throw new ServiceError(`The stub knows no ${action}`);
    return `<${action}Response><${action}Result>${answer(name, fields)}</${action}Result></${action}Response>`;
  }

  readonly #answers: Readonly<Record<string, (name: string, fields: URLSearchParams) => string>> = {
    GetCallerIdentity: () => `<Arn>arn:aws:iam::${ACCOUNT}:user/tester</Arn><Account>${ACCOUNT}</Account>`,
    AssumeRole: () =>
      '<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>',
    DescribeStacks: (name) => `<Stacks><member>${this.#describe(this.#existing(name))}</member></Stacks>`,
    GetTemplate: (name) => `<TemplateBody>${escaped(this.#existing(name).template)}</TemplateBody>`,
    DescribeStackEvents: () => '<StackEvents/>',
    DescribeEvents: () => '<OperationEvents/>',
    ListStacks: () => '<StackSummaries/>',
    DeleteChangeSet: () => '',
    UpdateTerminationProtection: (name) => `<StackId>${arn(name)}</StackId>`,
    CreateChangeSet: (name, fields) => {
      const key = (fields.get('TemplateURL') ?? '').split('/').at(-1) ?? '';
      const template = fields.get('TemplateBody') ?? this.#templates.get(key);
      if (template === undefined) throw new ServiceError(`S3 error: ${key} was never put`);
      this.#changes.set(name, { name, template });
      if (!this.#stacks.has(name)) this.#stacks.set(name, { name, template: '{}', status: 'REVIEW_IN_PROGRESS' });
      return `<Id>arn:aws:cloudformation:us-east-1:${ACCOUNT}:changeSet/${name}</Id><StackId>${arn(name)}</StackId>`;
    },
    DescribeChangeSet: (name) =>
      `<ChangeSetName>cdk</ChangeSetName><StackName>${name}</StackName><StackId>${arn(name)}</StackId><Status>CREATE_COMPLETE</Status><ExecutionStatus>AVAILABLE</ExecutionStatus><Changes><member><Type>Resource</Type></member></Changes>`,
    ExecuteChangeSet: (name) => {
      const change = this.#changes.get(name);
      if (!change) throw new ServiceError(`No change set for ${name}`);
      const stack = this.#existing(name);
      for (const wanted of importsOf(change.template))
        if (!this.#exporter(wanted)) throw new ServiceError(`No export named ${wanted} found, wanted by ${name}`);
      stack.status = stack.status === 'REVIEW_IN_PROGRESS' ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE';
      stack.template = change.template;
      this.deployed.push(name);
      return '';
    },
    DeleteStack: (name) => {
      const stack = this.#stacks.get(name);
      // As in AWS, deleting a deleted stack succeeds.
      if (!stack || stack.status === 'DELETE_COMPLETE') return '';
      const exported = new Set(exportsOf(stack.template));
      const user = [...this.#stacks.values()].find((other) =>
        importsOf(other.template).some((one) => exported.has(one)),
      );
      if (user) throw new ServiceError(`Export of ${name} cannot be deleted as it is in use by ${user.name}`);
      if (name.endsWith('-edge') && this.replicated-- > 0) stack.status = 'DELETE_FAILED';
      else {
        stack.status = 'DELETE_COMPLETE';
        stack.template = '{}';
        this.removed.push(name);
      }
      return '';
    },
  };

  #existing(name: string): Stack {
    const stack = this.#stacks.get(name);
    if (!stack) throw new ServiceError(`Stack with id ${name} does not exist`);
    return stack;
  }

  #exporter(name: string): Stack | undefined {
    return [...this.#stacks.values()].find(({ template }) => exportsOf(template).includes(name));
  }

  #describe({ name, status, template }: Stack): string {
    const { Outputs = {} } = JSON.parse(template) as Template;
    const outputs = Object.keys(Outputs).map(
      (key) => `<member><OutputKey>${key}</OutputKey><OutputValue>${name}.${key}</OutputValue></member>`,
    );
    return `<StackName>${name}</StackName><StackId>${arn(name)}</StackId><StackStatus>${status}</StackStatus><CreationTime>2026-11-17T00:00:00Z</CreationTime><Outputs>${outputs.join('')}</Outputs>`;
  }
}

const arn = (name: string): string => `arn:aws:cloudformation:us-east-1:${ACCOUNT}:stack/${name}/1`;
const nameOf = (nameOrArn: string): string => nameOrArn.split('/')[nameOrArn.startsWith('arn:') ? 1 : 0] ?? '';
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const exportsOf = (template: string): readonly string[] =>
  Object.values((JSON.parse(template) as Template).Outputs ?? {}).flatMap(({ Export }) =>
    Export ? [Export.Name] : [],
  );

const importsOf = (template: string): readonly string[] =>
  [...template.matchAll(/"Fn::ImportValue":\s*"([^"]+)"/g)].map(([, name = '']) => name);

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { createApp } from '../../functions/api/app.ts';
import { consoleRoutes } from '../../functions/cli/console-files.ts';
import { testAssay } from '../support/assay.ts';
import { type Resource, synthesise, textOf } from '../support/templates.ts';

const { ofType } = synthesise();
const only = (type: string, stack?: string): Resource['Properties'] => {
  const [first, ...others] = ofType(type, stack);
  assert.ok(first && others.length === 0, `${others.length + 1} of ${type}`);
  return first.Properties;
};

// Fixed by AWS: the ids of the managed policies CachingDisabled, CachingOptimized and AllViewerExceptHostHeader.
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const CACHING_OPTIMIZED = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const ALL_VIEWER_EXCEPT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

interface Behavior {
  readonly PathPattern?: string;
  readonly CachePolicyId: string;
  readonly OriginRequestPolicyId?: string;
  readonly AllowedMethods?: readonly string[];
  readonly LambdaFunctionAssociations?: readonly { readonly EventType: string; readonly IncludeBody?: boolean }[];
  readonly FunctionAssociations?: readonly { readonly EventType: string }[];
  readonly ViewerProtocolPolicy: string;
  readonly TargetOriginId: string;
}
interface Distribution {
  readonly DefaultCacheBehavior: Behavior;
  readonly CacheBehaviors: readonly Behavior[];
  readonly CustomErrorResponses?: unknown;
  readonly WebACLId: unknown;
  readonly Origins: readonly {
    readonly Id: string;
    readonly DomainName: unknown;
    readonly OriginAccessControlId?: unknown;
    readonly OriginCustomHeaders?: readonly { readonly HeaderName: string; readonly HeaderValue: unknown }[];
    readonly CustomOriginConfig?: Readonly<Record<string, unknown>>;
  }[];
}
const distribution = only('AWS::CloudFront::Distribution').DistributionConfig as Distribution;
const api = distribution.CacheBehaviors;

describe('CloudFront and the firewall', () => {
  test('API responses are never cached; the API gets keys, queries and bodies, but not the viewer’s Host', () => {
    assert.deepEqual(
      api.map(({ PathPattern }) => PathPattern),
      ['/v1/tools/*/invoke', '/v1/*', '/mcp', '/healthz', '/openapi.json', '/.well-known/*'],
    );
    for (const each of api) {
      assert.equal(each.CachePolicyId, CACHING_DISABLED);
      assert.equal(each.OriginRequestPolicyId, ALL_VIEWER_EXCEPT_HOST);
      assert.equal(each.AllowedMethods?.length, 7);
      assert.equal(each.ViewerProtocolPolicy, 'https-only');
    }
  });

  test('C.01 the edge function runs on origin requests of /v1 without the body', () => {
    const lookups = api.find(({ PathPattern }) => PathPattern === '/v1/*');
    const others = api.filter((each) => each !== lookups);

    assert.deepEqual(
      lookups?.LambdaFunctionAssociations?.map(({ EventType, IncludeBody }) => [EventType, IncludeBody ?? false]),
      [['origin-request', false]],
    );
    assert.ok(others.every(({ LambdaFunctionAssociations }) => LambdaFunctionAssociations === undefined));
  });

  test('the console’s files are cached and come from a private bucket by origin access control', () => {
    const { CachePolicyId, TargetOriginId, ViewerProtocolPolicy } = distribution.DefaultCacheBehavior;
    const origin = distribution.Origins.find(({ Id }) => Id === TargetOriginId);

    assert.equal(CachePolicyId, CACHING_OPTIMIZED);
    assert.equal(ViewerProtocolPolicy, 'redirect-to-https');
    assert.ok(origin?.OriginAccessControlId);
  });

  test('no error page replaces the API’s errors, since error pages apply to all paths of a distribution', () => {
    assert.equal(distribution.CustomErrorResponses, undefined);
  });

  test('the api’s origin gets the secret by reference, the snapshot’s location, and a timeout of 120 s', () => {
    const origin = distribution.Origins.find(({ Id }) => Id === api[0]?.TargetOriginId);
    const headers = new Map(origin?.OriginCustomHeaders?.map((each) => [each.HeaderName, each.HeaderValue]));

    assert.deepEqual([...headers.keys()].sort(), ['x-assay-bucket', 'x-assay-origin', 'x-assay-region']);
    assert.match(
      textOf(headers.get('x-assay-origin')),
      /^\{\{resolve:secretsmanager:.*OriginSecret.*:SecretString\}\}$/,
    );
    assert.equal(headers.get('x-assay-region'), 'us-east-1');
    assert.equal(origin?.CustomOriginConfig?.OriginReadTimeout, 120);
    assert.equal(origin?.CustomOriginConfig?.OriginProtocolPolicy, 'https-only');
    // An access control would replace the caller's Authorization.
    assert.ok(!origin?.OriginAccessControlId);
  });

  test('the function URL is open, streams, has both permissions required since 2025, and limits concurrency', () => {
    const url = only('AWS::Lambda::Url');
    const permissions = ofType('AWS::Lambda::Permission', 'api').map(({ Properties }) => Properties);
    const [lambda] = ofType('AWS::Lambda::Function', 'api').filter(({ id }) => id.startsWith('Api'));

    assert.deepEqual([url.AuthType, url.InvokeMode], ['NONE', 'RESPONSE_STREAM']);
    assert.deepEqual(permissions.map(({ Action }) => Action).sort(), [
      'lambda:InvokeFunction',
      'lambda:InvokeFunctionUrl',
    ]);
    assert.ok(permissions.some(({ InvokedViaFunctionUrl }) => InvokedViaFunctionUrl === true));
    assert.equal(lambda?.Properties.ReservedConcurrentExecutions, 200);
    assert.ok(Number(lambda?.Properties.Timeout) >= 120);
  });

  test('the edge function uses nothing that Lambda@Edge refuses', () => {
    const [edge] = ofType('AWS::Lambda::Function', 'edge');
    const roles = ofType('AWS::IAM::Role', 'edge');

    for (const property of ['Environment', 'Layers', 'DeadLetterConfig', 'TracingConfig', 'VpcConfig', 'ImageConfig'])
      assert.equal(edge?.Properties[property], undefined, property);
    assert.deepEqual(edge?.Properties.Architectures, ['x86_64']);
    assert.ok(Number(edge?.Properties.Timeout) <= 30 && Number(edge?.Properties.MemorySize) > 128);
    assert.match(JSON.stringify(roles), /edgelambda\.amazonaws\.com/);
    assert.equal(ofType('AWS::Lambda::Version', 'edge').length, 1);
  });

  test('the edge may read only published files, and logs only to a group with a retention', () => {
    const [policy] = ofType('AWS::IAM::Policy', 'edge');
    const text = JSON.stringify(policy?.Properties.PolicyDocument);

    assert.match(
      text,
      /"s3:GetObject","Effect":"Allow","Resource":"arn:aws:s3:::assay-prod-data-snapshots-\*\/edge\/\*"/,
    );
    assert.doesNotMatch(text, /CreateLogGroup|s3:Put|s3:List/);
  });

  test('the viewer’s host is passed to the api, and page URLs serve the console', () => {
    const [host, pages] = ['ViewerHost', 'SitePages'].map((name) => viewerFunction(name));
    const request = (uri: string) => ({
      viewer: { ip: '192.0.2.7' },
      request: { uri, headers: { host: { value: 'assay.example' }, 'x-assay-viewer': { value: 'forged' } } },
    });

    assert.deepEqual(host?.(request('/v1/tools')).headers['x-forwarded-host'], { value: 'assay.example' });
    assert.deepEqual(host?.(request('/v1/tools')).headers['x-assay-viewer'], { value: '192.0.2.7' });
    assert.equal(pages?.(request('/tools/ssim')).uri, '/index.html');
    assert.equal(pages?.(request('/assets/app.js')).uri, '/assets/app.js');
  });

  test('the firewall limits each address; on the API, rules about content only count', () => {
    const rules = only('AWS::WAFv2::WebACL').Rules as readonly Rule[];
    const common = rules.find(({ Name }) => Name === 'AWSManagedRulesCommonRuleSet');
    const counting = common?.Statement.ManagedRuleGroupStatement?.RuleActionOverrides ?? [];
    const outside = rules.at(-1);

    assert.equal(rules[0]?.Statement.RateBasedStatement?.Limit, 300_000);
    for (const rule of [
      'SizeRestrictions_BODY',
      'GenericRFI_BODY',
      'EC2MetaDataSSRF_BODY',
      'RestrictedExtensions_URIPATH',
    ])
      assert.ok(
        counting.some(({ Name, ActionToUse }) => Name === rule && ActionToUse.Count),
        rule,
      );
    assert.ok(outside?.Action?.Block);
    assert.match(JSON.stringify(outside?.Statement), /LabelMatchStatement.*NotStatement.*"\/v1\/".*"\/mcp"/);
    assert.equal(new Set(rules.map(({ Priority }) => Priority)).size, rules.length);
  });

  test('requests without an API key have a lower limit, and get the API’s own error format', () => {
    const acl = only('AWS::WAFv2::WebACL');
    const keyless = (acl.Rules as readonly Rule[]).find(({ Name }) => Name === 'rate-without-key');
    const bodies = acl.CustomResponseBodies as Record<string, { Content: string; ContentType: string }>;

    assert.equal(keyless?.Statement.RateBasedStatement?.Limit, 2000);
    assert.match(JSON.stringify(keyless?.Statement), /NotStatement.*"authorization".*"Bearer ak_".*"x-api-key".*"ak_"/);
    assert.match(JSON.stringify(keyless?.Action), /"CustomResponseBodyKey":"limited","ResponseCode":429/);
    for (const { Content, ContentType } of Object.values(bodies)) {
      assert.equal(ContentType, 'APPLICATION_JSON');
      assert.deepEqual(Object.keys(JSON.parse(Content).error), ['code', 'message', 'details', 'request_id']);
    }
  });

  test('access tokens count as keys where an issuer is configured', () => {
    const textOfRule = (settings: Parameters<typeof synthesise>[0]): string =>
      JSON.stringify(synthesise(settings).ofType('AWS::WAFv2::WebACL')[0]?.Properties.Rules);
    const issuers = [{ issuer: 'https://login.example', audience: ['https://assay.example/mcp'] }];

    assert.ok(!textOfRule({}).includes('Bearer eyJ'));
    assert.ok(textOfRule({ issuers }).includes('Bearer eyJ'));
  });

  test('the firewall’s log contains no keys', () => {
    const redacted = JSON.stringify(only('AWS::WAFv2::LoggingConfiguration').RedactedFields);

    assert.match(redacted, /authorization/);
    assert.match(redacted, /x-api-key/);
  });

  test('the console has the same security headers as on one machine', async () => {
    const { assay } = await testAssay();
    const app = createApp(assay, { routes: consoleRoutes() });
    const policy = only('AWS::CloudFront::ResponseHeadersPolicy').ResponseHeadersPolicyConfig as {
      SecurityHeadersConfig: { ContentSecurityPolicy: { ContentSecurityPolicy: string } };
    };

    const { headers } = await app.request('/');

    const deployed = textOf(policy.SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy);
    const bucket = / https:\/\/<[^>]*Images[^>]*>\.s3\.us-east-1\.amazonaws\.com/;
    assert.match(deployed, bucket);
    assert.equal(headers.get('content-security-policy'), deployed.replace(bucket, ''));
  });

  test('a custom domain has its certificate and TLS 1.2', () => {
    const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/0';
    const own = synthesise({ domain: { name: 'assay.example', certificateArn } });
    const config = own.ofType('AWS::CloudFront::Distribution')[0]?.Properties.DistributionConfig as {
      Aliases: unknown;
      ViewerCertificate: Record<string, unknown>;
    };

    assert.deepEqual(config.Aliases, ['assay.example']);
    assert.equal(config.ViewerCertificate.MinimumProtocolVersion, 'TLSv1.2_2021');
  });
});

interface Rule {
  readonly Name: string;
  readonly Priority: number;
  readonly Action?: { readonly Block?: unknown };
  readonly Statement: {
    readonly RateBasedStatement?: { readonly Limit: number };
    readonly ManagedRuleGroupStatement?: {
      readonly RuleActionOverrides: readonly {
        readonly Name: string;
        readonly ActionToUse: { readonly Count?: unknown };
      }[];
    };
  };
}

type Viewer = (event: unknown) => { uri: string; headers: Record<string, { value: string }> };

/** The code of a CloudFront function, run as it stands in the template. */
const viewerFunction = (name: string): Viewer => {
  const [found] = ofType('AWS::CloudFront::Function').filter(({ id }) => id.includes(name));
  const viewer = runInNewContext(`${String(found?.Properties.FunctionCode)}; handler`) as Viewer;
  return (event) => JSON.parse(JSON.stringify(viewer(event)));
};

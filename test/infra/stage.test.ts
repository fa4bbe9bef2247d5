import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import { createSpecCheck } from '../support/service-spec.ts';
import { type Resource, synthesise, textOf } from '../support/templates.ts';

const stage = synthesise();
const { resources, ofType } = stage;
const names = (found: readonly Resource[]): readonly string[] => found.map(({ stack, id }) => `${stack}/${id}`);

interface Statement {
  readonly Action?: unknown;
  readonly Resource?: unknown;
  readonly Effect: string;
  readonly Condition?: unknown;
}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const statementsOf = ({ Properties }: Resource): readonly Statement[] => {
  const policies = [
    Properties.PolicyDocument,
    ...list(Properties.Policies ?? []).map((each) => (each as Resource['Properties']).PolicyDocument),
  ];
  return policies.flatMap((each) => (each as { Statement?: Statement[] } | undefined)?.Statement ?? []);
};

describe('the stacks of a stage', () => {
  test('C.08 every resource and property is known to CloudFormation', () => {
    const check = createSpecCheck();

    assert.ok(resources.length > 100);
    assert.deepEqual(resources.flatMap(check), []);
    const wrong = { id: 'X', stack: 's', Type: 'AWS::S3::Bucket', Properties: { Versioned: true, BucketName: ['a'] } };
    assert.equal(check(wrong).length, 2);
  });

  test('C.08 cdk-nag finds nothing without a reason beside it', () => {
    for (const pack of [new AwsSolutionsChecks(), new ServerlessChecks()]) {
      const { violations } = pack.validateScope(stage.app);
      const found = violations.map(({ ruleName, violatingResources }) => [
        ruleName,
        violatingResources[0]?.constructPath,
      ]);
      assert.deepEqual(found, []);
    }
  });

  test('X.17 source credentials are encrypted by one KMS key, which only the api and the steps may use', () => {
    const keys = ofType('AWS::KMS::Key');
    assert.deepEqual(names(keys).length, 1);
    assert.equal(keys[0]?.Properties.EnableKeyRotation, true);
    const users = ofType('AWS::Lambda::Function').filter(({ Properties }) =>
      JSON.stringify(Properties.Environment ?? {}).includes('ASSAY_SECRETS_KEY'),
    );
    assert.equal(users.length, 2);
    const granted = ofType('AWS::IAM::Policy').flatMap((policy) =>
      statementsOf(policy).filter(({ Action }) => JSON.stringify(Action).includes('kms:')),
    );
    assert.deepEqual(
      granted.map(({ Action }) => Action),
      users.map(() => ['kms:Decrypt', 'kms:GenerateDataKey']),
    );
    assert.ok(granted.every(({ Resource }) => Resource !== '*'));
  });

  test('X.22 one setting makes a Cognito user pool the issuer, with a client for everybody', () => {
    const settings = { domainPrefix: 'assay-test', callbackUrls: ['http://localhost:3000/callback'] };
    const made = synthesise({ cognito: { ...settings, address: 'https://assay.example.com' } });
    const check = createSpecCheck();

    assert.equal(ofType('AWS::Cognito::UserPool').length, 0);
    assert.equal(made.ofType('AWS::Cognito::UserPool').length, 1);
    assert.deepEqual(made.resources.flatMap(check), []);
    const [client] = made.ofType('AWS::Cognito::UserPoolClient');
    assert.deepEqual(client?.Properties.AllowedOAuthFlows, ['code']);
    assert.deepEqual(client?.Properties.CallbackURLs, settings.callbackUrls);
    const api = made
      .ofType('AWS::Lambda::Function')
      .filter(({ Properties }) => JSON.stringify(Properties.Environment ?? {}).includes('ASSAY_ISSUERS'));
    assert.equal(api.length, 1);
    assert.match(JSON.stringify(api[0]?.Properties.Environment), /https:\/\/assay\.example\.com\/mcp/);
    for (const pack of [new AwsSolutionsChecks(), new ServerlessChecks()])
      assert.deepEqual(
        pack.validateScope(made.app).violations.map(({ ruleName }) => ruleName),
        [],
      );
    assert.throws(() => synthesise({ cognito: settings }), /needs the address/);
  });

  test('X.16 one rule refreshes sources, and only the configured functions may be invoked', () => {
    const rules = ofType('AWS::Events::Rule').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('refresh_sources'),
    );
    assert.deepEqual(
      rules.map(({ Properties }) => Properties.ScheduleExpression),
      ['rate(5 minutes)'],
    );
    const named = 'arn:aws:lambda:us-east-1:111111111111:function:sums';
    const granted = synthesise({ functions: [named] })
      .ofType('AWS::IAM::Policy')
      .filter((policy) => JSON.stringify(policy).includes(named));
    assert.equal(granted.length, 2);
    for (const policy of granted)
      assert.deepEqual(
        statementsOf(policy).filter((each) => JSON.stringify(each).includes(named)),
        [{ Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: named }],
      );
  });

  test('C.08 synthesis has no errors and no warnings', () => {
    assert.deepEqual(stage.warnings, []);
  });

  test('C.08 another Region than CloudFront’s works too, also with a language model and token issuers', () => {
    const secretArn = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:model-AbCdEf';
    const issuers = [{ issuer: 'https://login.example', audience: ['https://assay.example/mcp'] }];
    const llm = { url: 'https://models.example/v1', secretArn };
    const elsewhere = synthesise({ region: 'eu-central-1', llm, issuers });

    for (const pack of [new AwsSolutionsChecks(), new ServerlessChecks()])
      assert.deepEqual(pack.validateScope(elsewhere.app).violations, []);
    const [secret] = elsewhere.ofType('AWS::SecretsManager::Secret', 'data').filter(({ id }) => id === 'OriginSecret');
    assert.deepEqual(secret?.Properties.ReplicaRegions, [{ Region: 'us-east-1' }]);
    const [api] = elsewhere.ofType('AWS::Lambda::Function', 'api').filter(({ id }) => id.startsWith('Api'));
    const { Variables } = (api?.Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
    assert.equal(Variables?.ASSAY_LLM_URL, 'https://models.example/v1');
    assert.equal(Variables?.ASSAY_LLM_SECRET, secretArn);
    assert.deepEqual(JSON.parse(String(Variables?.ASSAY_ISSUERS)), issuers);
  });

  test('X.26 spans are exported by OTLP only where the stage says so, to X-Ray or to a collector', () => {
    const endpointsOf = (otlp: string | undefined) =>
      synthesise(otlp === undefined ? {} : { otlp })
        .ofType('AWS::Lambda::Function')
        .flatMap(({ Properties }) => {
          const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
          return Variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? [];
        });

    assert.deepEqual(endpointsOf(undefined), []);
    assert.deepEqual(endpointsOf('xray'), Array(4).fill('https://xray.us-east-1.amazonaws.com/v1/traces'));
    assert.deepEqual(new Set(endpointsOf('https://c.example/v1/traces')), new Set(['https://c.example/v1/traces']));
  });

  test('no statement allows every action on everything', () => {
    const all = resources.flatMap((each) => statementsOf(each).map((statement) => ({ each, statement })));
    const both = all.filter(
      ({ statement }) =>
        statement.Effect === 'Allow' &&
        list(statement.Action).some((action) => action === '*' || /^\w+:\*$/.test(String(action))) &&
        list(statement.Resource).includes('*'),
    );

    assert.ok(all.length > 30);
    assert.deepEqual(names(both.map(({ each }) => each)), []);
  });

  test('wildcard permissions are only for tracing, log delivery, registry tokens and what AWS’s own constructs need', () => {
    const actions = resources
      .flatMap(statementsOf)
      .filter(({ Effect, Resource, Condition }) => Effect === 'Allow' && list(Resource).includes('*') && !Condition)
      .flatMap(({ Action }) => list(Action).map(String));

    assert.deepEqual([...new Set(actions.map((action) => action.split(':')[0]))].sort(), [
      'batch',
      'cloudfront',
      'ecr',
      'logs',
      'secretsmanager',
      'xray',
    ]);
  });

  test('C.03 every bucket is private, encrypted, versioned and TLS-only', () => {
    const buckets = ofType('AWS::S3::Bucket');
    const policies = ofType('AWS::S3::BucketPolicy');

    assert.equal(buckets.length, 6);
    for (const { id, Properties, stack } of buckets) {
      assert.deepEqual(Properties.PublicAccessBlockConfiguration, {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
      assert.match(JSON.stringify(Properties.BucketEncryption), /AES256|aws:kms/);
      assert.deepEqual(Properties.VersioningConfiguration, { Status: 'Enabled' });
      assert.match(JSON.stringify(Properties.LifecycleConfiguration), /AbortIncompleteMultipartUpload/);
      const policy = policies.find(
        (each) => each.stack === stack && JSON.stringify(each.Properties.Bucket).includes(`"${id}"`),
      );
      const denied = (policy ? statementsOf(policy) : []).filter(({ Effect }) => Effect === 'Deny');
      assert.match(JSON.stringify(denied), /"aws:SecureTransport":"false"/, id);
    }
  });

  test('every log group has a retention, and no function may create one', () => {
    const groups = ofType('AWS::Logs::LogGroup');
    const creating = resources.filter((each) => JSON.stringify(statementsOf(each)).includes('logs:CreateLogGroup'));

    assert.ok(groups.length >= 10);
    assert.deepEqual(names(groups.filter(({ Properties }) => Properties.RetentionInDays === undefined)), []);
    assert.deepEqual(names(creating), []);
    const silent = ours().filter(({ Properties, stack }) => stack !== 'edge' && !Properties.LoggingConfig);
    assert.deepEqual(names(silent), []);
  });

  test('every event-driven function has a dead-letter queue; the edge function cannot have one', () => {
    const without = ours().filter(({ Properties }) => Properties.DeadLetterConfig === undefined);
    const targets = ofType('AWS::Events::Rule').flatMap(({ Properties }) => list(Properties.Targets));

    assert.deepEqual(
      without.map(({ stack }) => stack),
      ['edge'],
    );
    for (const target of targets as { DeadLetterConfig?: unknown; RetryPolicy?: unknown }[])
      assert.ok(target.DeadLetterConfig && target.RetryPolicy, JSON.stringify(target));
  });

  test('C.02 stacks with data keep it, are protected, and have fixed names', () => {
    const kinds = ['AWS::S3::Bucket', 'AWS::DynamoDB::GlobalTable', 'AWS::SecretsManager::Secret'];
    const stateful = resources.filter(({ Type }) => kinds.includes(Type));

    assert.deepEqual(names(stateful.filter(({ DeletionPolicy }) => DeletionPolicy !== 'Retain')), []);
    assert.deepEqual([...names(stateful)].sort(), [
      'data/AccessLogs',
      'data/AdminSecret',
      'data/HallmarkSecret',
      'data/Images',
      'data/Models',
      'data/OriginSecret',
      'data/Snapshots',
      'data/Table',
      'edge/EdgeAccessLogs',
      'edge/Site',
    ]);
  });

  test('C.02 the table is on-demand, expires items by TTL and has point-in-time recovery', () => {
    const [table] = ofType('AWS::DynamoDB::GlobalTable');
    const [replica] = list(table?.Properties.Replicas) as Resource['Properties'][];

    assert.equal(table?.Properties.BillingMode, 'PAY_PER_REQUEST');
    assert.deepEqual(table?.Properties.StreamSpecification, { StreamViewType: 'NEW_AND_OLD_IMAGES' });
    assert.deepEqual(table?.Properties.TimeToLiveSpecification, { AttributeName: 'expires', Enabled: true });
    // Replicas would make quotas inexact: conditions are checked against the local copy.
    assert.equal(list(table?.Properties.Replicas).length, 1);
    assert.equal(replica?.DeletionProtectionEnabled, true);
    assert.deepEqual(replica?.PointInTimeRecoverySpecification, { PointInTimeRecoveryEnabled: true });
  });

  test('a restored table can replace the original, which is kept', () => {
    const streamArn = 'arn:aws:dynamodb:us-east-1:111111111111:table/assay-restored/stream/2026-11-17T00:00:00.000';
    const restored = synthesise({ restoredTable: { name: 'assay-restored', streamArn } });
    const variables = restored
      .ofType('AWS::Lambda::Function')
      .flatMap(
        ({ Properties }) =>
          (Properties.Environment as { Variables?: Record<string, unknown> })?.Variables?.ASSAY_TABLE ?? [],
      );

    assert.ok(variables.length >= 5);
    assert.deepEqual(new Set(variables), new Set(['assay-restored']));
    for (const { Properties } of restored.ofType('AWS::Lambda::EventSourceMapping'))
      assert.equal(Properties.EventSourceArn, streamArn);
    assert.equal(restored.ofType('AWS::DynamoDB::GlobalTable').length, 1);
    assert.match(JSON.stringify(restored.ofType('AWS::IAM::Policy', 'api')), /table\/assay-restored/);
  });

  test('pictures and results are kept as long as the settings say, or until somebody deletes them', () => {
    const rulesOf = (settings: Parameters<typeof synthesise>[0]) =>
      JSON.stringify(
        synthesise(settings)
          .ofType('AWS::S3::Bucket', 'data')
          .find(({ id }) => id === 'Images')?.Properties.LifecycleConfiguration,
      );

    const kept = rulesOf({ keptDays: { pictures: 30, results: 90 } });
    for (const [prefix, days] of [
      ['images/', 30],
      ['made/', 30],
      ['scores/', 90],
      ['runs/', 90],
      ['jobs/', 90],
    ] as const)
      assert.match(kept, new RegExp(`"ExpirationInDays":${days},"Id":"[^"]*","Prefix":"${prefix}"`));
    assert.doesNotMatch(rulesOf({}), /"ExpirationInDays"/);
  });

  test('the stream has two consumers: totals by shard in large batches, and keys and catalogues without delay', () => {
    const mappings = ofType('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties);
    const of = (name: string) => mappings.find(({ FunctionName }) => JSON.stringify(FunctionName).includes(name));
    const [stream, publish] = [of('Stream'), of('Publish')];

    assert.equal(mappings.length, 2);
    for (const mapping of mappings) {
      assert.equal(mapping.BisectBatchOnFunctionError, true);
      assert.equal(mapping.ParallelizationFactor, 1);
      assert.ok(Number(mapping.MaximumRetryAttempts) > 0);
      assert.ok(Number(mapping.MaximumRecordAgeInSeconds) < 86_400);
      assert.match(JSON.stringify(mapping.DestinationConfig), /Failures/);
    }
    assert.equal(stream?.BatchSize, 1000);
    assert.ok(Number(stream?.TumblingWindowInSeconds) > 0);
    assert.equal(publish?.MaximumBatchingWindowInSeconds ?? 0, 0);
    assert.deepEqual(sortKeysOf(publish), ['REVISION', 'KEY', 'BEAT', { prefix: 'EVENT#' }]);
    assert.ok(
      callKey('t', systemClock().newId()).sk.startsWith((sortKeysOf(stream) as [{ prefix: string }])[0].prefix),
    );
  });

  test('the outputs have the URL and how to create the first key', () => {
    const { Url, FirstKey } = stage.outputs('edge');
    const { AdminKey } = stage.outputs('data');

    assert.match(textOf(Url?.Value), /^https:\/\//);
    assert.match(textOf(FirstKey?.Value), /^npx assay keys create --url https:.* --scopes read,invoke,write$/);
    assert.match(textOf(AdminKey?.Value), /^aws secretsmanager get-secret-value .*AdminSecret/);
  });

  test('no environment variable contains a secret', () => {
    const variables = resources.flatMap(({ Properties }) => [
      ...Object.entries((Properties.Environment as { Variables?: object } | undefined)?.Variables ?? {}),
      ...(
        (Properties.ContainerProperties as { Environment?: { Name: string; Value: unknown }[] } | undefined)
          ?.Environment ?? []
      ).map(({ Name, Value }): [string, unknown] => [Name, Value]),
    ]);

    assert.ok(variables.length > 20);
    for (const [name, value] of variables) {
      assert.doesNotMatch(JSON.stringify(value), /resolve:secretsmanager|resolve:ssm-secure/, name);
      if (/SECRET|KEY|TOKEN|PASSWORD/.test(name))
        assert.match(textOf(value), /OriginSecret|AdminSecret|HallmarkSecret|SecretsKey/, name);
    }
  });

  test('functions with ONNX are x86_64 with the layer, the others arm64, all on Node 24', () => {
    const shapes = ours()
      .filter(({ Properties }) => Properties.PackageType !== 'Image')
      .map(({ id, Properties }) => [
        id.replace(/Function.*/, ''),
        String(Properties.Runtime),
        list(Properties.Architectures)[0],
        list(Properties.Layers ?? []).length,
      ]);

    assert.deepEqual(shapes.sort(), [
      ['Api', 'nodejs24.x', 'x86_64', 1],
      ['Edge', 'nodejs24.x', 'x86_64', 0],
      ['Failed', 'nodejs24.x', 'arm64', 0],
      ['Publish', 'nodejs24.x', 'arm64', 0],
      ['Rotate', 'nodejs24.x', 'arm64', 0],
      ['Step', 'nodejs24.x', 'x86_64', 1],
      ['Stream', 'nodejs24.x', 'arm64', 0],
      ['Upload', 'nodejs24.x', 'x86_64', 1],
    ]);
  });
});

const sortKeysOf = (mapping: Resource['Properties'] | undefined): unknown => {
  const criteria = mapping?.FilterCriteria as { Filters: { Pattern: string }[] } | undefined;
  return JSON.parse(criteria?.Filters[0]?.Pattern ?? '{}').dynamodb.Keys.sk.S;
};

/** Functions of ours, without those that the library brings. */
const ours = (): readonly Resource[] => ofType('AWS::Lambda::Function').filter(({ id }) => !/^(Custom|AWS)/.test(id));

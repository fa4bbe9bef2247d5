import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { stages } from '../../infra/config.ts';
import { AssayStage } from '../../infra/stage.ts';
import { machinesText, staticMachines } from '../../metadata/build-machines.ts';
import type { TaskCall } from '../../shared/plan/engine/ports.ts';
import { interpret } from '../../shared/plan/interpret.ts';
import { quickApp, type Resource, synthesise, textOf } from '../support/templates.ts';
import { validateAsl } from '../support/validate-asl.ts';

const { ofType } = synthesise();
const machines = staticMachines();
const deployed = ofType('AWS::StepFunctions::StateMachine', 'plans');

const run = async (name: 'upload' | 'batch', input: unknown, task: (call: TaskCall) => Promise<unknown>) => {
  const calls: TaskCall[] = [];
  const outcome = await interpret(machines[name], input, {
    now: () => 0,
    sleep: async () => {},
    random: () => 0,
    task: (call) => {
      calls.push(call);
      return task(call);
    },
  });
  return { outcome, calls };
};

describe('deployed state machines', () => {
  test('C.05 the deployed state machines are what our compiler gives today', () => {
    assert.equal(readFileSync(new URL('../../metadata/machines.json', import.meta.url), 'utf8'), machinesText());
  });

  test('C.05 the deployed state machines are valid, and the stack fills in every name', () => {
    assert.equal(deployed.length, 2);
    for (const { Properties } of deployed) {
      const definition = textOf(Properties.DefinitionString);
      const wanted = [...definition.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
      assert.equal(validateAsl(JSON.parse(definition)), '');
      assert.deepEqual([...new Set(wanted)].sort(), Object.keys(Properties.DefinitionSubstitutions as object).sort());
    }
  });

  test('C.07 a stored picture is scored again on its event, and its end is announced', async () => {
    const event = { 'detail-type': 'Object Created', detail: { object: { key: 'images/a/b.png' } } };

    const { outcome, calls } = await run('upload', { event }, async () => ({ Payload: {} }));

    assert.equal(outcome.status, 'SUCCEEDED');
    assert.deepEqual(calls[0]?.arguments, { FunctionName: `$\{UploadFunction}`, Payload: event });
    assert.match(JSON.stringify(calls[1]?.arguments), /"DetailType":"upload-finished","Detail":\{"status":"ok"/);
  });

  test('C.04 a manifest is scored by a Batch job, retried, and its failure announced', async () => {
    const { outcome, calls } = await run('batch', { manifest: 'manifests/m.json' }, async ({ resource }) => {
      if (resource.includes('batch')) throw Object.assign(new Error('host taken away'), { name: 'Batch.Failed' });
      return {};
    });

    assert.equal(outcome.status, 'SUCCEEDED');
    assert.equal(calls.filter(({ resource }) => resource === 'arn:aws:states:::batch:submitJob.sync').length, 3);
    assert.match(JSON.stringify(calls[0]?.arguments), /"Name":"ASSAY_MANIFEST","Value":"manifests\/m.json"/);
    assert.match(JSON.stringify(calls.at(-1)?.arguments), /"status":"skipped"/);
  });

  test('state machines log to one group under /aws/vendedlogs, without user data', () => {
    const [group] = ofType('AWS::Logs::LogGroup', 'plans').filter(({ id }) => id.startsWith('Logs'));

    assert.equal(group?.Properties.LogGroupName, '/aws/vendedlogs/states/assay-prod-plans');
    for (const { Properties } of deployed)
      assert.match(JSON.stringify(Properties.LoggingConfiguration), /"IncludeExecutionData":false,"Level":"ALL"/);
  });

  test('functions that run plans may create only our state machines, with one role, for Step Functions', () => {
    const statements = ['api', 'plans'].flatMap((stack) =>
      ofType('AWS::IAM::Policy', stack).flatMap(({ Properties }) => statementsOf(Properties)),
    );
    const creating = statements.filter(({ Action }) => [Action].flat().includes('states:CreateStateMachine'));
    const passing = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'));

    assert.equal(creating.length, 2);
    for (const { Resource } of creating) assert.match(textOf(Resource), /:stateMachine:assay-prod-\*$/);
    assert.equal(passing.length, 2);
    for (const { Condition, Resource } of passing) {
      assert.deepEqual(Condition, { StringEquals: { 'iam:PassedToService': 'states.amazonaws.com' } });
      assert.match(textOf(Resource), /MachineRole/);
    }
  });

  test('a stage neither changes nor receives events of another stage’s state machines', () => {
    const app = quickApp();
    const templates = (['dev', 'prod'] as const).map((name) =>
      new AssayStage(app, name, stages[name])
        .synth()
        .stacks.map(({ template }) => JSON.stringify(template))
        .join('\n'),
    );

    for (const [at, other] of ['prod', 'dev'].entries()) {
      assert.doesNotMatch(templates[at] ?? '', new RegExp(`assay-${other}\\b`));
      assert.doesNotMatch(templates[at] ?? '', /(stateMachine|execution|express):assay-(\*|")/);
    }
  });

  test('C.07 only objects under images/ start a score, so written scores do not', () => {
    const patterns = ofType('AWS::Events::Rule', 'inference').map(({ Properties }) =>
      JSON.stringify(Properties.EventPattern),
    );
    const ofObjects = patterns.filter((pattern) => pattern.includes('"aws.s3"'));

    assert.ok(ofObjects.length > 0, patterns.join('\n'));
    for (const pattern of ofObjects) assert.match(pattern, /"object":\{"key":\[\{"prefix":"images\/"\}\]\}/);
  });

  test('C.04 GPU machines are Spot instances, scale to zero, run Amazon Linux 2023 and need no NAT', () => {
    const [environment] = ofType('AWS::Batch::ComputeEnvironment');
    const compute = environment?.Properties.ComputeResources as Readonly<Record<string, unknown>>;
    const [job] = ofType('AWS::Batch::JobDefinition');

    assert.equal(compute.Type, 'SPOT');
    assert.equal(compute.MinvCpus, 0);
    assert.deepEqual(compute.Ec2Configuration, [{ ImageType: 'ECS_AL2023_NVIDIA' }]);
    assert.deepEqual(ofType('AWS::EC2::NatGateway'), []);
    assert.ok(ofType('AWS::EC2::VPCEndpoint').some((each) => textOf(each.Properties.ServiceName).endsWith('.s3')));
    assert.match(JSON.stringify(job?.Properties), /"Type":"GPU","Value":"1"/);
    assert.match(JSON.stringify(job?.Properties.RetryStrategy), /"OnStatusReason":"Host EC2\*"/);
  });
});

interface Statement {
  readonly Action: unknown;
  readonly Resource: unknown;
  readonly Condition?: unknown;
}
const statementsOf = (properties: Resource['Properties']): readonly Statement[] =>
  (properties.PolicyDocument as { Statement: Statement[] }).Statement;

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { perFunction, runbook, runbookTable } from '../../infra/runbook.ts';
import { type Resource, synthesise } from '../support/templates.ts';

const stage = synthesise({ alarmEmail: 'operator@example.com' });
const alarms = stage.ofType('AWS::CloudWatch::Alarm');
const nameOf = ({ Properties }: Resource): string => String(Properties.AlarmName).split('-').at(-1) ?? '';
const watching = (text: string): readonly Resource[] =>
  alarms.filter(({ Properties }) => JSON.stringify(Properties).includes(text));

describe('alarms', () => {
  test('every dead-letter queue has an alarm', () => {
    const queues = stage.ofType('AWS::SQS::Queue');

    assert.equal(queues.length, 13);
    for (const { id, stack } of queues) {
      const pattern = new RegExp(`"Fn::(GetAtt|ImportValue)":\\[?"[^\\]]*${id}`);
      const found = watching('ApproximateNumberOfMessagesVisible').filter(({ Properties }) =>
        pattern.test(JSON.stringify(Properties)),
      );
      assert.equal(found.length, 1, `${stack}/${id}`);
    }
  });

  test('5xx answers are counted where Lambda sees successes, and at CloudFront and the edge', () => {
    for (const metric of ['Url5xxCount', '5xxErrorRate', 'LambdaExecutionError', 'WriteThrottleEvents', 'FailedRuns'])
      assert.equal(watching(metric).length, 1, metric);
    assert.deepEqual(
      watching('AWS/CloudFront').map(({ stack }) => stack),
      ['edge', 'edge'],
    );
  });

  test('CloudFront’s alarms are in us-east-1 also where the stage is elsewhere, with a subscriber there', () => {
    const elsewhere = synthesise({ region: 'eu-central-1', alarmEmail: 'operator@example.com' });

    const subscribed = elsewhere
      .ofType('AWS::SNS::Subscription')
      .map(({ stack, Properties }) => [stack, Properties.Endpoint]);
    assert.deepEqual(subscribed.sort(), [
      ['edge', 'operator@example.com'],
      ['operations', 'operator@example.com'],
    ]);
  });

  test('a record set aside by the stream is counted by the log line that the function writes', () => {
    const filters = stage
      .ofType('AWS::Logs::MetricFilter')
      .filter(({ Properties }) => Properties.FilterPattern === '{ $.message = "stream record set aside" }');

    assert.equal(filters.length, 1);
    assert.match(JSON.stringify(filters[0]?.Properties.MetricTransformations), /"assay-prod-api-RecordsSetAside"/);
    assert.deepEqual(watching('assay-prod-api-RecordsSetAside').map(nameOf), ['RecordsSetAside']);
  });

  test('a blocked job queue raises an alarm, with a GPU or without', () => {
    const rule = stage
      .ofType('AWS::Events::Rule')
      .find(({ Properties }) => JSON.stringify(Properties).includes('Batch Job Queue Blocked'));
    const told = JSON.stringify(rule?.Properties.EventPattern).match(/"Fn::ImportValue"/g);

    assert.equal(told?.length, stage.ofType('AWS::Batch::JobQueue').length);
  });

  test('each alarm notifies somebody, says what to do, and is on the dashboard', () => {
    const [dashboard] = stage.ofType('AWS::CloudWatch::Dashboard');
    const shown = JSON.stringify(dashboard?.Properties.DashboardBody);

    assert.ok(alarms.length >= 25, String(alarms.length));
    for (const alarm of alarms) {
      const { AlarmActions, AlarmDescription } = alarm.Properties;
      assert.equal((AlarmActions as unknown[]).length, 1);
      assert.ok(String(AlarmDescription).length > 60, nameOf(alarm));
    }
    for (const word of [
      'Alarms',
      'Requests',
      '5xxErrorRate',
      'Latency',
      'Throttles',
      'Tool calls',
      'Age of the oldest',
    ])
      assert.ok(shown.includes(word), word);
  });

  test('the runbook has a line for each alarm, and the README shows it', async () => {
    const named = new Set([...Object.keys(runbook), ...Object.keys(perFunction)]);
    const lines = alarms.map((alarm) => [...named].find((name) => nameOf(alarm).endsWith(name)));
    const readme = await readFile(new URL('../../infra/README.md', import.meta.url), 'utf8');

    assert.deepEqual([...new Set(lines)].sort(), [...named].sort());
    assert.ok(readme.includes(runbookTable()));
  });

  test('without GPU machines there is no image, network, queue or alarm for them', () => {
    const plain = synthesise({ gpu: undefined });

    for (const type of ['AWS::EC2::VPC', 'AWS::Batch::JobQueue', 'AWS::Batch::ComputeEnvironment'])
      assert.deepEqual(plain.ofType(type), [], type);
    assert.equal(plain.ofType('AWS::StepFunctions::StateMachine').length, 1);
    assert.ok(!JSON.stringify(plain.resources).includes('ASSAY_JOB_QUEUE'));
    assert.ok(!plain.ofType('AWS::CloudWatch::Alarm').some((alarm) => nameOf(alarm) === 'JobsWaiting'));
  });

  test('a job that gets no GPU machine times out, and goes to CPU', () => {
    const queues = stage.ofType('AWS::Batch::JobQueue').map(({ Properties }) => Properties);
    const given = queues.flatMap(({ JobStateTimeLimitActions = [] }) => JobStateTimeLimitActions as readonly object[]);
    const rule = stage
      .ofType('AWS::Events::Rule')
      .find(({ Properties }) => JSON.stringify(Properties).includes('Batch Job State Change'));
    const kinds = stage
      .ofType('AWS::Batch::ComputeEnvironment')
      .map(({ Properties }) => (Properties.ComputeResources as { readonly Type: string }).Type);

    assert.deepEqual(kinds.sort(), ['FARGATE_SPOT', 'SPOT']);
    assert.equal(given.length, 3);
    assert.match(JSON.stringify(rule?.Properties.EventPattern), /"status":\["FAILED"\]/);
    assert.match(JSON.stringify(rule?.Properties.Targets), /Upload/);
    assert.ok(JSON.stringify(stage.ofType('AWS::Lambda::Function')).includes('ASSAY_CPU_JOB_QUEUE'));
  });

  test('GPU machines are requested in the zones that have them', () => {
    const zoned = synthesise({ gpu: { maxVcpus: 4, zones: ['us-east-1b', 'us-east-1d'] } });
    const zones = zoned.ofType('AWS::EC2::Subnet').map(({ Properties }) => Properties.AvailabilityZone);

    assert.deepEqual(zones, ['us-east-1b', 'us-east-1d']);
  });
});

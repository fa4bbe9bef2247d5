import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AlarmName, perFunction, runbook } from '../runbook.ts';
import { acknowledge } from './acknowledge.ts';
import type { GrantedFunction } from './granted-function.ts';

interface Watch {
  readonly metric: IMetric;
  readonly above: number;
  /** How many five-minute periods in a row. */
  readonly periods?: number;
}

/** Alarms that notify people through one topic. */
export class Alarms extends Construct {
  readonly topic: ITopic;
  readonly all: Alarm[] = [];

  constructor(scope: Construct, id: string, email: string | undefined) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { displayName: 'Assay alarms', enforceSSL: true });
    acknowledge(topic, {
      'AwsSolutions-SNS2': 'CloudWatch cannot publish to a topic under AWS’s own key, and alarms hold no data of users',
    });
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    this.topic = topic;
  }

  watch(name: AlarmName, watched: Watch): void {
    const { what, act } = runbook[name];
    this.add(name, `${what}. ${act}`, watched);
  }

  /** Throttles of a function, in two periods in a row. */
  watchThrottles(name: string, { function: lambda }: GrantedFunction): void {
    const { what, act } = perFunction.Throttled;
    const metric = lambda.metricThrottles(FIVE_MINUTES);
    this.add(`${name}Throttled`, `${name} ${what}. ${act}`, { metric, above: 0, periods: 2 });
  }

  /** A single message in a queue of failures. */
  watchFailures(name: string, queue: Queue): void {
    const { what, act } = perFunction.Lost;
    const metric = queue.metricApproximateNumberOfMessagesVisible(FIVE_MINUTES);
    this.add(`${name}Lost`, `${name} ${what}. ${act}`, { metric, above: 0 });
  }

  private add(name: string, alarmDescription: string, { metric, above, periods = 1 }: Watch): void {
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    this.all.push(alarm);
  }
}

export const FIVE_MINUTES = { period: Duration.minutes(5) } as const;

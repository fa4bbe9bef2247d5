import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { fits } from './fits.ts';

interface Watch {
  readonly what: string;
  readonly metric: IMetric;
  readonly above: number;
  /** How many five-minute periods in a row. */
  readonly periods?: number;
}

/** What people should hear of, through one topic. */
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
    this.topic = fits<ITopic>(topic);
  }

  watch(id: string, { what, metric, above, periods = 1 }: Watch): void {
    const alarm = new Alarm(this, id, {
      alarmDescription: what,
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

import { readFileSync } from 'node:fs';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { fromRoot } from '../build/paths.ts';

interface Props {
  /** Its name in metadata/machines.json, where our own compiler has written it. */
  readonly name: 'upload' | 'batch';
  readonly role: IRole;
  readonly logs: ILogGroup;
  /** What stands in `${}`. */
  readonly names: Readonly<Record<string, string>>;
}

/** A machine that is deployed with the product. */
export class StaticMachine extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, { name, role, logs, names }: Props) {
    super(scope, id);
    const machines = JSON.parse(readFileSync(fromRoot('metadata/machines.json'), 'utf8')) as Record<string, unknown>;
    this.machine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromString(JSON.stringify(machines[name])),
      definitionSubstitutions: { ...names },
      stateMachineType: StateMachineType.STANDARD,
      role,
      tracingEnabled: true,
      logs: { destination: logs, level: LogLevel.ALL, includeExecutionData: false },
    });
  }
}

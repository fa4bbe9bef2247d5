import { test } from 'node:test';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { tableContract } from '../contract/table.ts';
import { startDynamo, whyNoDynamo } from '../support/dynamo.ts';

const why = whyNoDynamo();
if (why) test('DynamoDB table', (t) => t.skip(why));
else
  tableContract(
    'DynamoDB table',
    async (now) => {
      const { call, endpoint, tableName, stop } = await startDynamo();
      return {
        open: () => dynamoTable({ call, tableName, now }),
        dispose: stop,
        address: { kind: 'dynamo', endpoint, tableName },
      };
    },
    { isShared: true },
  );

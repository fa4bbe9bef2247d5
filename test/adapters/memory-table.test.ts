import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { tableContract } from '../contract/table.ts';

tableContract(
  'memory table',
  async (now) => {
    const table = memoryTable({ now });
    return { open: () => table, dispose: async () => {} };
  },
  { isShared: false },
);

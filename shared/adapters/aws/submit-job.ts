import { BatchClient, SubmitJobCommand } from '@aws-sdk/client-batch';
import { lazily } from '../../kernel/lazily.ts';
import { clientSettings } from './client-settings.ts';

const client = lazily(() => new BatchClient(clientSettings('jobs')));

export interface Job {
  readonly name: string;
  readonly queue: string;
  readonly definition: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Submits a job to Batch. Loaded with the first job, because most instances of the upload function submit none. */
export const submitJob = async ({ name, queue, definition, variables }: Job): Promise<void> => {
  const environment = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
  await client().send(
    new SubmitJobCommand({
      jobName: name,
      jobQueue: queue,
      jobDefinition: definition,
      containerOverrides: { environment },
    }),
  );
};

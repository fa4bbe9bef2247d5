import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { awsCalls } from '../../shared/adapters/aws/aws-calls.ts';
import { sfnMachines } from '../../shared/adapters/aws/machine.ts';
import { readSecret } from '../../shared/adapters/aws/secrets.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { composeAssay } from '../../shared/assay.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { cachePlans } from '../../shared/plan/cache-plans.ts';
import { createMachineRuns } from '../../shared/plan/machine-runs.ts';
import { runNode } from '../../shared/plan/run-node.ts';
import { adoptConfigured } from '../../shared/sources/adopt-configured.ts';
import { refreshDue } from '../../shared/sources/due-sources.ts';
import { awsPorts, bundledSources } from '../compose/aws-ports.ts';
import type { StepDeps } from './handle.ts';

const Text = z.string().min(1);
const OptionalText = Text.optional();

const Environment = z.object({
  ASSAY_TABLE: Text,
  ASSAY_IMAGES_BUCKET: Text,
  ASSAY_MODELS_BUCKET: Text,
  ASSAY_HALLMARK_SECRET: Text,
  ASSAY_SOURCES: z.enum(['tenants', 'operator', 'off']).optional(),
  ASSAY_EGRESS: z.string().optional(),
  /** The KMS key that wraps the keys of sources' credentials. */
  ASSAY_SECRETS_KEY: OptionalText,
  /** Only needed for plans inside plans, which start state machines of their own. */
  ASSAY_MACHINE_PREFIX: Text.default('assay-'),
  ASSAY_MACHINE_ROLE: OptionalText,
  ASSAY_MACHINE_LOGS: OptionalText,
  /** Set by Lambda. */
  AWS_LAMBDA_FUNCTION_NAME: Text.default('assay-step'),
});

/** The dependencies of the function that runs every step of a plan on AWS. */
export const stepDeps = async (variables = process.env): Promise<StepDeps> => {
  const environment = Environment.parse(variables, { jitless: true });
  const hallmark = await readSecret(awsCalls('secrets', variables), environment.ASSAY_HALLMARK_SECRET);
  if (hallmark === undefined)
    throw new Fault('Unavailable', `the secret ${environment.ASSAY_HALLMARK_SECRET} is empty`);
  const ports = await awsPorts(environment, hallmark, variables);
  const { table, blobs, clock } = ports;
  const { ASSAY_MACHINE_ROLE: roleArn, ASSAY_MACHINE_LOGS: logGroupArn } = environment;
  const machines = sfnMachines({
    call: awsCalls('machines', variables),
    table,
    clock,
    pause,
    prefix: environment.ASSAY_MACHINE_PREFIX,
    roleArn,
    logGroupArn,
  });
  const assay = await composeAssay({
    ...ports,
    startRuns: () => createMachineRuns({ table, blobs, clock, machines, step: environment.AWS_LAMBDA_FUNCTION_NAME }),
  });
  return {
    machines,
    async refreshSources() {
      await adoptConfigured(assay, bundledSources());
      return refreshDue(assay);
    },
    look: async (tenant, run) => {
      await assay.runs?.view(tenant, run);
      await assay.recorder.flush();
    },
    runs: {
      table,
      blobs,
      clock,
      tracer: assay.tracer,
      plan: cachePlans({ table, blobs }),
      execute: (call) => runNode(assay, call),
      answer: (token, answer) => machines.answer(token, answer),
      attemptLeases: { timers: systemTimers, log: ports.log, random: ports.random, wait: pause },
    },
  };
};

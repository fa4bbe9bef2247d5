import { spawnSync } from 'node:child_process';
import { GPU_INSTANCES } from '../constructs/gpu-instances.ts';
import { UsageError } from './stage-arguments.ts';

/** Runs the AWS CLI and returns its output, or nothing when it failed. */
type Ask = (...args: readonly string[]) => string | undefined;

const aws: Ask = (...args) => {
  const { status, stdout } = spawnSync('aws', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return status === 0 ? stdout : undefined;
};

/** The zones of a Region that offer GPU machines; jobs in other zones would wait for one forever. */
export const findGpuZones = (region: string, ask: Ask = aws): readonly string[] => {
  const answer = ask(
    ...['ec2', 'describe-instance-type-offerings', '--region', region, '--location-type', 'availability-zone'],
    ...['--filters', `Name=instance-type,Values=${GPU_INSTANCES.join(',')}`],
    ...['--query', 'InstanceTypeOfferings[].Location', '--output', 'text'],
  );
  if (answer === undefined)
    throw new UsageError(
      `AWS did not say which zones of ${region} have machines with a GPU. Sign in the AWS CLI, or name them in infra/config.ts (gpu.zones).`,
    );
  const zones = [...new Set(answer.split(/\s+/).filter((zone) => zone !== ''))].sort();
  if (zones.length === 0)
    throw new UsageError(
      `${region} has none of ${GPU_INSTANCES.join(', ')}. Leave gpu out in infra/config.ts (pictures are then scored without a GPU), or choose another Region.`,
    );
  return zones;
};

import { rotateDeps } from './deps.ts';
import { RotationEvent, rotate } from './rotate.ts';

const deps = rotateDeps();

/** What Secrets Manager calls, four times for each rotation of the secret between CloudFront and the api. */
export const handler = async (event: unknown): Promise<void> => rotate(deps, RotationEvent.parse(event));

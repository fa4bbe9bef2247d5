import { rotateDeps } from './deps.ts';
import { RotationEvent, rotate } from './rotate.ts';

const deps = rotateDeps();

/** Called by Secrets Manager, four times for each rotation of the secret between CloudFront and the API. */
export const handler = async (event: unknown): Promise<void> => rotate(deps, RotationEvent.parse(event));

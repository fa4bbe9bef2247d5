import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';

export const RotationEvent = z.object({
  SecretId: z.string().min(1),
  /** The version that is being made. */
  ClientRequestToken: z.string().min(1),
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
});
export type RotationEvent = z.infer<typeof RotationEvent>;

export interface RotateDeps {
  readonly secrets: {
    /** The text of a version with the label AWSPENDING; undefined when it has not been made. */
    pending(secret: string, version: string): Promise<string | undefined>;
    putPending(secret: string, version: string, text: string): Promise<void>;
    /** Makes a version the one in use; nothing to do when it is. */
    promote(secret: string, version: string): Promise<void>;
    newText(): Promise<string>;
  };
  /** Makes CloudFront send this from now on. It takes minutes, in which both are on the way. */
  readonly send: (text: string) => Promise<void>;
  /** Whether the api lets in who shows this. */
  readonly isAccepted: (text: string) => Promise<boolean>;
}

/**
 * One step of a rotation; each may be repeated. The api accepts the secret in use, the one before and the one to
 * come, so that no request is refused while CloudFront changes over, and a rotation that stops half way breaks nothing.
 */
export const rotate = async (deps: RotateDeps, event: RotationEvent): Promise<void> => {
  const { SecretId: secret, ClientRequestToken: version } = event;
  const { secrets } = deps;
  if (event.Step === 'finishSecret') return secrets.promote(secret, version);
  const pending = await secrets.pending(secret, version);
  if (event.Step === 'createSecret') {
    if (pending === undefined) await secrets.putPending(secret, version, await secrets.newText());
    return;
  }
  if (pending === undefined) throw new Fault('NotFound', `version ${version} of the secret has not been made`);
  if (event.Step === 'setSecret') return deps.send(pending);
  if (!(await deps.isAccepted(pending))) throw new Fault('Unavailable', 'the api does not accept the new secret');
};

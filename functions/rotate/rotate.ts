import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';

export const RotationEvent = z.object({
  SecretId: z.string().min(1),
  /** The id of the new version. */
  ClientRequestToken: z.string().min(1),
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
});
export type RotationEvent = z.infer<typeof RotationEvent>;

export interface RotateDeps {
  readonly secrets: {
    /** The text of a version labelled AWSPENDING; undefined when it does not exist. */
    pending(secret: string, version: string): Promise<string | undefined>;
    putPending(secret: string, version: string, text: string): Promise<void>;
    /** Makes a version the current one; does nothing if it already is. */
    promote(secret: string, version: string): Promise<void>;
    newText(): Promise<string>;
  };
  /** Makes CloudFront send this secret. That takes minutes, during which requests have either. */
  readonly send: (text: string) => Promise<void>;
  /** Whether the API accepts this secret. */
  readonly isAccepted: (text: string) => Promise<boolean>;
}

/**
 * One step of a rotation; each can be repeated. The API accepts the current, the previous and the next secret, so that
 * no request is refused while CloudFront changes over, and an interrupted rotation breaks nothing.
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

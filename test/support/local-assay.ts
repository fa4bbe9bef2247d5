import { createApp } from '../../functions/api/app.ts';
import type { App } from '../../functions/api/env.ts';
import { localUploads, signedUploadRoutes } from '../../functions/cli/local-uploads.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { uploadSecret } from '../../functions/compose/local-secrets.ts';
import type { Clock } from '../../shared/kernel/ports.ts';
import { recordingLog } from './recording-log.ts';

/** The app that `assay serve` composes on a data directory, in this process and without a socket. */
export const openData = async (
  test: { after(clean: () => Promise<void>): void },
  { data, base, clock }: { readonly data: string; readonly base: string; readonly clock: Clock },
): Promise<App> => {
  const environment = readEnvironment({});
  const assay = await localAssay({ environment, data, log: recordingLog(), base: () => base, clock });
  const uploads = localUploads(assay, data);
  const app = createApp(assay, { routes: signedUploadRoutes(assay, uploads, uploadSecret(data)) });
  test.after(async () => {
    await uploads.close();
    await assay.close();
  });
  return app;
};

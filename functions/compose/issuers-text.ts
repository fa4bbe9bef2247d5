import * as z from 'zod';
import { Issuers } from '../../shared/access/issuers.ts';

/** ASSAY_ISSUERS: a JSON list of issuers, checked at start. */
export const issuersText = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is no JSON: ${(error as Error).message}` });
      return z.NEVER;
    }
  })
  // Most deployments configure no issuers, and then the schema need not be created.
  .pipe(z.lazy(() => Issuers));

import * as z from 'zod';
import { DEFAULT_RATE, readRate } from '../../shared/access/default-rate.ts';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { ALLOWANCES } from '../../shared/adapters/node/hide-folders.ts';
import { OtelEnvironment } from '../../shared/adapters/otel/settings.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { issuersText } from './issuers-text.ts';

/** What the environment may set; anything wrong is said before anything starts. */
const Environment = z.object({
  ASSAY_ADMIN_KEY: z.string().min(16, 'must have 16 characters or more').optional(),
  ASSAY_CONFIG: z.string().min(1).optional(),
  ASSAY_PLUGINS_DIR: z.string().min(1).optional(),
  ASSAY_PLUGINS_ALLOW: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(ALLOWANCES)))
    .optional(),
  /** What sources may reach besides public https. */
  ASSAY_EGRESS: z.string().default('').transform(readAllowList),
  /** The directory of the file tools; `files` in the data directory unless set. */
  ASSAY_FILES_DIR: z.string().min(1).optional(),
  ASSAY_DATA: z.string().min(1).default('.assay'),
  ASSAY_PROVIDERS: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .optional(),
  /** A picture may have so many; all that are decoded at a time may take so much memory. */
  ASSAY_MAX_MEGAPIXELS: z.coerce.number().positive().max(1000).default(100),
  ASSAY_PICTURE_MEMORY_MB: z.coerce.number().int().min(16).default(640),
  /** How much a tenant's pictures of 30 days may take. */
  ASSAY_STORAGE_MB: z.coerce.number().int().positive().optional(),
  /** What a key without a rate may send to this process: a second and at once, such as `500/2000`, or `off`. */
  ASSAY_DEFAULT_RATE: z
    .string()
    .transform(readRate)
    .refine((rate) => rate !== undefined, 'must be off, or requests a second and at once, such as 500/2000')
    .default(DEFAULT_RATE),
  /** `off`: decisions that came out well teach nothing, and what was learnt is not used. */
  ASSAY_LEARN: z.enum(['on', 'off']).default('on'),
  /** `off`, or the folder of the sentence encoder's files; those of the optional package unless set. */
  ASSAY_ENCODER: z.string().min(1).optional(),
  ASSAY_LLM_URL: z.url().optional(),
  ASSAY_LLM_KEY: z.string().min(1).optional(),
  ASSAY_LLM_MODEL: z.string().min(1).optional(),
  /** Who may add sources: administrators of tenants, the operator alone, or nobody. */
  ASSAY_SOURCES: z.enum(['tenants', 'operator', 'off']).default('tenants'),
  /** Where the functions of sources are, and as whom they are run. */
  AWS_REGION: z.string().min(1).optional(),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  AWS_SESSION_TOKEN: z.string().min(1).optional(),
  AWS_ENDPOINT_URL_LAMBDA: z.url().optional(),
  /** `local`: requests for /metrics from this machine need no key. */
  ASSAY_METRICS: z.enum(['local', 'off']).optional(),
  /** Who issues access tokens for this server, as JSON. */
  ASSAY_ISSUERS: issuersText.optional(),
  /** An authorization server of our own: `on` at the address listened to, or the public address that clients use. */
  ASSAY_AUTH_SERVER: z
    .union([z.enum(['on', 'off']), z.url({ protocol: /^https?$/, error: 'must be on, off or an address' })])
    .default('off'),
  /** Whether clients of it may register themselves, besides those that publish their metadata. */
  ASSAY_AUTH_REGISTRATION: z.enum(['on', 'off']).default('off'),
  ASSAY_URL: z.url().optional(),
  ASSAY_KEY: z.string().min(1).optional(),
  /** Where traces are sent, as OpenTelemetry names it. */
  ...OtelEnvironment.shape,
  /** Where the servers are kept that one has logged in to; `.config` of the user unless set. */
  XDG_CONFIG_HOME: z.string().optional(),
});
export type Environment = z.infer<typeof Environment> & {
  /** What plugins see: all but our own keys. */
  readonly forPlugins: Readonly<Record<string, string | undefined>>;
};

/** What plugins do not see. */
const SECRETS: ReadonlySet<string> = new Set([
  'ASSAY_ADMIN_KEY',
  'ASSAY_LLM_KEY',
  'ASSAY_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
]);

export const readEnvironment = (variables: Readonly<Record<string, string | undefined>>): Environment => {
  const parsed = Environment.safeParse(variables);
  const forPlugins = Object.fromEntries(Object.entries(variables).filter(([name]) => !SECRETS.has(name)));
  if (parsed.success) return { ...parsed.data, forPlugins };
  const [issue] = parsed.error.issues;
  throw new Fault('InvalidInput', `the environment variable ${issue?.path.join('.')} ${issue?.message}`);
};

/** The configuration file: named, or the one of the working directory. */
export const configFileOf = ({ ASSAY_CONFIG: named }: Pick<Environment, 'ASSAY_CONFIG'>): string =>
  named ?? 'assay.config.json';

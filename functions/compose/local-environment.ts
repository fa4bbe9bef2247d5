import * as z from 'zod';
import { DEFAULT_RATE, readRate } from '../../shared/access/default-rate.ts';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { ALLOWANCES } from '../../shared/adapters/node/hide-folders.ts';
import { OtelEnvironment } from '../../shared/adapters/otel/settings.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { issuersText } from './issuers-text.ts';

/** The environment variables; errors are reported before anything starts. */
const Environment = z.object({
  ASSAY_ADMIN_KEY: z.string().min(16, 'must have 16 characters or more').optional(),
  ASSAY_CONFIG: z.string().min(1).optional(),
  ASSAY_PLUGINS_DIR: z.string().min(1).optional(),
  ASSAY_PLUGINS_ALLOW: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(ALLOWANCES)))
    .optional(),
  /** The hosts that sources may reach besides public https addresses. */
  ASSAY_EGRESS: z.string().default('').transform(readAllowList),
  /** The folder of the file tools; by default `files` in the data directory. */
  ASSAY_FILES_DIR: z.string().min(1).optional(),
  ASSAY_DATA: z.string().min(1).default('.assay'),
  ASSAY_PROVIDERS: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .optional(),
  /** Limits of one picture, and of the memory for all decoded pictures together. */
  ASSAY_MAX_MEGAPIXELS: z.coerce.number().positive().max(1000).default(100),
  ASSAY_PICTURE_MEMORY_MB: z.coerce.number().int().min(16).default(640),
  /** How many megabytes a tenant's pictures of 30 days may take. */
  ASSAY_STORAGE_MB: z.coerce.number().int().positive().optional(),
  /** How many megabytes the definitions of a tenant's tools may take. */
  ASSAY_TOOLS_MB: z.coerce.number().int().positive().optional(),
  /** The rate of keys without one, in this process: requests per second and burst, such as `500/2000`, or `off`. */
  ASSAY_DEFAULT_RATE: z
    .string()
    .transform(readRate)
    .refine((rate) => rate !== undefined, 'must be off, or requests a second and at once, such as 500/2000')
    .default(DEFAULT_RATE),
  /** `off`: nothing is learned from decisions, and learned examples are not used. */
  ASSAY_LEARN: z.enum(['on', 'off']).default('on'),
  /** `off`, or the folder of the sentence encoder's files; by default those of the optional package. */
  ASSAY_ENCODER: z.string().min(1).optional(),
  ASSAY_LLM_URL: z.url().optional(),
  ASSAY_LLM_KEY: z.string().min(1).optional(),
  ASSAY_LLM_MODEL: z.string().min(1).optional(),
  /** Who may add sources: administrators of tenants, the operator alone, or nobody. */
  ASSAY_SOURCES: z.enum(['tenants', 'operator', 'off']).default('tenants'),
  /** Region and credentials for sources that are AWS functions. */
  AWS_REGION: z.string().min(1).optional(),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  AWS_SESSION_TOKEN: z.string().min(1).optional(),
  AWS_ENDPOINT_URL_LAMBDA: z.url().optional(),
  /** `local`: requests for /metrics from this machine need no key. */
  ASSAY_METRICS: z.enum(['local', 'off']).optional(),
  /** The issuers of access tokens for this server, as JSON. */
  ASSAY_ISSUERS: issuersText.optional(),
  /** Our own authorization server: `on` for the address listened to, or the public address that clients use. */
  ASSAY_AUTH_SERVER: z
    .union([z.enum(['on', 'off']), z.url({ protocol: /^https?$/, error: 'must be on, off or an address' })])
    .default('off'),
  /** Whether its clients may register themselves; those that publish their metadata always can. */
  ASSAY_AUTH_REGISTRATION: z.enum(['on', 'off']).default('off'),
  ASSAY_URL: z.url().optional(),
  ASSAY_KEY: z.string().min(1).optional(),
  /** Where traces are sent, by OpenTelemetry's variables. */
  ...OtelEnvironment.shape,
  /** Where `login` stores servers; by default `.config` in the user's home. */
  XDG_CONFIG_HOME: z.string().optional(),
});
export type Environment = z.infer<typeof Environment> & {
  /** The environment that plugins see: everything except our own secrets. */
  readonly forPlugins: Readonly<Record<string, string | undefined>>;
};

/** Hidden from plugins. */
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

/** The configuration file: the one named, or that of the working directory. */
export const configFileOf = ({ ASSAY_CONFIG: named }: Pick<Environment, 'ASSAY_CONFIG'>): string =>
  named ?? 'assay.config.json';

/** What differs between stages. Everything else is the same everywhere. */
export interface StageSettings {
  /** Where the data lies and the functions run; what CloudFront needs is in us-east-1 in any case. */
  readonly region: string;
  /** How long logs are kept. */
  readonly logDays: 7 | 14 | 30 | 90 | 180 | 365;
  /**
   * How many calls the api answers at once, as its URL is open to the Internet. A new account may have a quota of
   * 10 in all: Lambda then refuses any reservation, and it must be left out.
   */
  readonly apiConcurrency?: number;
  /** Requests that one address may send in five minutes: many paying agents may be behind one. */
  readonly requestsPerAddress: number;
  /** The same for requests without a key of ours. */
  readonly keylessPerAddress: number;
  /**
   * Machines with a GPU, which scale to zero; without it there is no image, network or queue for them, and large
   * pictures go to the inference function alone. Not every zone has such machines: `npm run deploy` asks AWS which do.
   */
  readonly gpu?: { readonly maxVcpus: number; readonly zones?: readonly string[] } | undefined;
  /** Memory of the inference function; a new account may be limited to 3008. */
  readonly inferenceMb: number;
  /** The share of requests that X-Ray keeps, besides one a second: a trace costs as much as five calls. */
  readonly tracedShare: number;
  /**
   * Where spans go besides, by OTLP over HTTP: `xray` for X-Ray's own endpoint, signed by the functions' roles, which
   * needs Transaction Search to be switched on in the account; or the address of a collector. Without it each kept trace
   * can be read by its calls, and Lambda's own segments are in X-Ray.
   */
  readonly otlp?: string;
  /**
   * A table to use instead of the one this stack makes: one restored to a point in time, with its stream switched on.
   * The runbook says how.
   */
  readonly restoredTable?: { readonly name: string; readonly streamArn: string } | undefined;
  /** Days after which uploaded pictures, and scores and results of runs, are removed; kept until somebody removes them otherwise. */
  readonly keptDays?: { readonly pictures?: number; readonly results?: number } | undefined;
  /** How many megabytes a tenant's pictures of 30 days may take; 20,480 unless given. */
  readonly storageMb?: number;
  /** How many megabytes the definitions of a tenant's tools may take; 64 unless given. */
  readonly toolsMb?: number;
  /** Functions that are sources, by name or ARN: those of `assay.config.json`. */
  readonly functions?: readonly string[];
  /** Who hears of alarms. */
  readonly alarmEmail?: string;
  /** An address of your own, with a certificate in us-east-1. */
  readonly domain?: { readonly name: string; readonly certificateArn: string };
  /** A language model that decisions may ask: its key lies in a secret of your own, and only the api may read it. */
  readonly llm?: { readonly url: string; readonly model?: string; readonly secretArn?: string };
  /** Who issues access tokens for this service, such as a Cognito user pool; as ASSAY_ISSUERS in the README. */
  readonly issuers?: readonly Readonly<Record<string, unknown>>[];
  /** A Cognito user pool as an issuer, with one client for everybody; `domainPrefix` is its login page's, unique in the region. */
  readonly cognito?: CognitoSettings;
}

export interface CognitoSettings {
  readonly domainPrefix: string;
  /** The addresses that applications are sent back to. */
  readonly callbackUrls: readonly string[];
  /** Where clients reach this service, such as https://assay.example.com; that of `domain` unless given. */
  readonly address?: string;
  readonly tenant?: string;
}

export const stages: Readonly<Record<'dev' | 'prod', StageSettings>> = {
  dev: {
    region: 'us-east-1',
    logDays: 14,
    tracedShare: 1,
    requestsPerAddress: 300_000,
    keylessPerAddress: 2000,
    inferenceMb: 3008,
  },
  prod: {
    region: 'us-east-1',
    logDays: 90,
    tracedShare: 0.01,
    apiConcurrency: 200,
    requestsPerAddress: 300_000,
    keylessPerAddress: 2000,
    gpu: { maxVcpus: 32 },
    inferenceMb: 8192,
  },
};

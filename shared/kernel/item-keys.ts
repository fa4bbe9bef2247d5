import { timeOfUlid } from './ids.ts';
import { keepLast } from './lazily.ts';
import type { Key } from './ports.ts';

/** Every key of the table is built here, those of logins and quotas in `oauth-keys.ts` and `quota-keys.ts`, and nowhere else. */

const tenantPk = (tenant: string): string => `T#${tenant}`;
export const revisionKey = (tenant: string): Key => ({ pk: tenantPk(tenant), sk: 'REVISION' });
/** The tenant whose revision an item holds; undefined for any other item. */
export const tenantOfRevision = ({ pk, sk }: Key): string | undefined =>
  sk === 'REVISION' && pk.startsWith('T#') ? pk.slice(2) : undefined;

export const edgeBeatKey: Key = { pk: 'EDGE', sk: 'BEAT' };

export const CHANGE_PREFIX = 'CHANGE#';
// Padded to twelve digits, so that text order is numeric order.
export const changeKey = (tenant: string, revision: number): Key => ({
  pk: tenantPk(tenant),
  sk: `${CHANGE_PREFIX}${String(revision).padStart(12, '0')}`,
});

export const TOOL_PREFIX = 'TOOL#';
export const toolKey = (tenant: string, name: string): Key => ({ pk: tenantPk(tenant), sk: `${TOOL_PREFIX}${name}` });
export const toolsPk = tenantPk;

/** Sentence-encoder vectors of the tenant's texts, by the digest of each text. */
export const vectorsPk = (tenant: string, encoder: string): string => `T#${tenant}#VECTORS#${encoder}`;
export const vectorKey = (tenant: string, encoder: string, digest: string): Key => ({
  pk: vectorsPk(tenant, encoder),
  sk: digest,
});

/** Requests learned as examples of each tool, and the revision of all of them. */
export const examplesPk = (tenant: string): string => `T#${tenant}#EXAMPLES`;
export const exampleKey = (tenant: string, tool: string): Key => ({ pk: examplesPk(tenant), sk: tool });
export const examplesRevisionKey = (tenant: string): Key => ({ pk: tenantPk(tenant), sk: 'EXAMPLES' });

/** The credentials of a source, and one caller's tokens at it. */
const secretPk = (tenant: string): string => `T#${tenant}#SECRET`;
export const sourceDocumentKey = (tenant: string, source: string): Key => ({ pk: `T#${tenant}#DOCUMENT`, sk: source });
export const sourceAccountPrefix = (source: string): string => `${source}#`;
export const sourceAccountKey = (tenant: string, source: string, keyId: string): Key => ({
  pk: secretPk(tenant),
  sk: `${sourceAccountPrefix(source)}${keyId}`,
});
export const sourceSecretsPk = secretPk;
export const sourceSecretKey = (tenant: string, source: string): Key => ({ pk: secretPk(tenant), sk: source });

export const API_KEYS_PREFIX = 'KEY#';
export const apiKeyKey = (id: string): Key => ({ pk: `${API_KEYS_PREFIX}${id}`, sk: 'KEY' });
/** The id of the API key that an item holds; undefined for any other item. */
export const idOfApiKey = ({ pk, sk }: Key): string | undefined =>
  sk === 'KEY' && pk.startsWith(API_KEYS_PREFIX) ? pk.slice(API_KEYS_PREFIX.length) : undefined;
export const KEY_OF_TENANT_PREFIX = 'KEYOF#';
export const keyOfTenantKey = (tenant: string, id: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${KEY_OF_TENANT_PREFIX}${id}`,
});

/** All tenants; for the operator. */
export const TENANTS_PK = 'TENANTS';
export const tenantKey = (tenant: string): Key => ({ pk: TENANTS_PK, sk: tenant });
/** Marks of tenants that were deleted. */
export const deletedTenantKey = (tenant: string): Key => ({ pk: 'TENANTS#DELETED', sk: tenant });
/** Progress of listing the tenants of keys that earlier releases made. */
export const tenantsListedKey: Key = { pk: 'TENANTS#LISTED', sk: 'LISTED' };

export const onceKey = (tenant: string, digest: string): Key => ({ pk: `T#${tenant}#ONCE#${digest}`, sk: 'ONCE' });

/** A cached score is addressed by image, tool, implementation and reference. */
const SCORE_PREFIX = 'SCORE#';
const imagePk = (tenant: string, sha256: string): string => `T#${tenant}#IMAGE#${sha256}`;
export const scoreKey = (tenant: string, image: string, tool: string, digests: string): Key => ({
  pk: imagePk(tenant, image),
  sk: `${SCORE_PREFIX}${tool}#${digests}`,
});

/** A call's key follows from its id: its hour, and one of a few shards. */
const CALL_SHARDS = 4;
const HOUR_MS = 3_600_000;
// Cached, because consecutive calls mostly share an hour and formatting the date dominates here.
const lastHour = keepLast<string, number>();
export const callHour = (milliseconds: number): string => {
  const hour = Math.floor(milliseconds / HOUR_MS);
  return lastHour(hour, () => new Date(hour * HOUR_MS).toISOString().slice(0, 13));
};
export const callShards = (tenant: string, hour: string): readonly string[] =>
  Array.from({ length: CALL_SHARDS }, (_, shard) => `T#${tenant}#CALLS#${hour}#${shard}`);
export const callKey = (tenant: string, id: string): Key => {
  const shard = id.charCodeAt(id.length - 1) % CALL_SHARDS;
  return { pk: `T#${tenant}#CALLS#${callHour(timeOfUlid(id) ?? 0)}#${shard}`, sk: id };
};
/** The hours that have calls, so that listing a month need not query every hour. */
export const callHoursPk = (tenant: string): string => `T#${tenant}#CALLS`;
export const callHourKey = (tenant: string, hour: string): Key => ({ pk: callHoursPk(tenant), sk: hour });
export const tenantOfCallPk = (pk: string): string | undefined => /^T#([^#]+)#CALLS#[^#]+#\d+$/.exec(pk)?.[1];

/** The trace segments in which a tenant's calls ran. */
export const tracePk = (tenant: string, traceId: string): string => `T#${tenant}#TRACE#${traceId}`;
export const traceKey = (tenant: string, traceId: string, spanId: string): Key => ({
  pk: tracePk(tenant, traceId),
  sk: spanId,
});

export const statsPk = (tenant: string): string => `T#${tenant}#STATS`;
export const statsKey = (tenant: string, name: string, version: string): Key => ({
  pk: statsPk(tenant),
  sk: `${name}#${version}`,
});
/**
 * Totals of one stream shard: `path` is the prefix of the names' hashes that this item holds, so that all items of a
 * name are found level by level.
 */
export const totalsPk = (tenant: string): string => `T#${tenant}#TOTALS`;
export const totalsKey = (tenant: string, path: string, shard: string): Key => ({
  pk: totalsPk(tenant),
  sk: `${path}#${shard}`,
});
/** Versions blocked from the stream, and which of their failures were reported. */
export const blocksPk = (tenant: string): string => `T#${tenant}#BLOCKS`;
export const blockKey = (tenant: string, name: string, version: string): Key => ({
  pk: blocksPk(tenant),
  sk: `${name}#${version}`,
});
export const failureCheckpointKey = (tenant: string, shard: string): Key => ({ pk: `T#${tenant}#TOLD`, sk: shard });
/** A stream record that could not be processed. */
export const poisonKey = (eventId: string): Key => ({ pk: 'STREAM#POISON', sk: eventId });

export const ratingsPk = (tenant: string): string => `T#${tenant}#RATINGS`;
export const ratingsKey = (tenant: string, name: string, version: string): Key => ({
  pk: ratingsPk(tenant),
  sk: `${name}#${version}`,
});
export const ratingKey = (tenant: string, callId: string): Key => ({
  pk: `T#${tenant}#RATING#${callId}`,
  sk: 'RATING',
});

export const LIST_PREFIX = 'LIST#';
export const listKey = (tenant: string, kind: string, name: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${LIST_PREFIX}${kind}#${name}`,
});

export const GRANT_PREFIX = 'GRANT#';
export const grantKey = (tenant: string, keyId: string, name: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${GRANT_PREFIX}${keyId}#${name}`,
});

export const SOURCE_PREFIX = 'SOURCE#';
export const sourceKey = (tenant: string, name: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${SOURCE_PREFIX}${name}`,
});
/** Every source of every tenant, to find those that are due. */
export const SOURCES_PK = 'SOURCES';
export const sourceDueKey = (tenant: string, name: string): Key => ({ pk: SOURCES_PK, sk: `${tenant}#${name}` });

/** Points from a confirmation's id to its item, whose key only the token's owner can compute. */
export const CONFIRMATION_PREFIX = 'CONFIRMATION#';
export const confirmationKey = (tenant: string, id: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${CONFIRMATION_PREFIX}${id}`,
});

/** The confirmations of one key that are not decided or not used yet. */
export const openQuestionsKey = (tenant: string, keyId: string): Key => ({
  pk: `T#${tenant}#QUESTIONS#${keyId}`,
  sk: 'OPEN',
});
/** The arguments of a confirmation, in parts. */
export const askedArgumentsPk = (tenant: string, id: string): string => `T#${tenant}#ASKED#${id}`;
export const askedArgumentsKey = (tenant: string, id: string, part: number): Key => ({
  pk: askedArgumentsPk(tenant, id),
  sk: `PART#${String(part).padStart(3, '0')}`,
});

/** A call that waits for a confirmation, by the confirmation's id. */
export const waitingCallKey = (tenant: string, id: string): Key => ({ pk: `T#${tenant}#WAITING`, sk: id });

/** The usage of a closed month. */
export const usageArchiveKey = (tenant: string, month: string): Key => ({ pk: `T#${tenant}#ARCHIVE`, sk: month });

export const auditPk = (tenant: string, month: string): string => `T#${tenant}#AUDIT#${month}`;

export const eventsPk = (tenant: string): string => `T#${tenant}#EVENTS`;
export const eventCountKey = (tenant: string): Key => ({ pk: eventsPk(tenant), sk: 'COUNT' });
export const EVENT_PREFIX = 'EVENT#';
export const eventKey = (tenant: string, id: number): Key => ({
  pk: eventsPk(tenant),
  sk: `${EVENT_PREFIX}${String(id).padStart(12, '0')}`,
});

/** Marks a record of a stream without shards as folded. */
export const foldedKey = (eventId: string): Key => ({ pk: `STREAM#EVENT#${eventId}`, sk: 'FOLDED' });

export const planKey = (tenant: string, id: string): Key => ({ pk: `T#${tenant}#PLAN#${id}`, sk: 'PLAN' });
export const runPk = (tenant: string, id: string): string => `T#${tenant}#RUN#${id}`;
export const runKey = (tenant: string, id: string): Key => ({ pk: runPk(tenant, id), sk: 'RUN' });
/** The call that a run completes asynchronously. */
export const deferredCallKey = (tenant: string, run: string): Key => ({ pk: runPk(tenant, run), sk: 'CALL' });
/** How many calls the runs inside a run may make, all together. */
export const innerCallsKey = (tenant: string, run: string): Key => ({ pk: runPk(tenant, run), sk: 'INNER_CALLS' });
export const NODE_PREFIX = 'NODE#';
export const attemptKey = (tenant: string, run: string, node: string, attempt: number): Key => ({
  pk: runPk(tenant, run),
  sk: `${NODE_PREFIX}${node}#${String(attempt).padStart(3, '0')}`,
});
export const approvalKey = (tenant: string, run: string, node: string): Key => ({
  pk: runPk(tenant, run),
  sk: `${NODE_PREFIX}${node}#ASK`,
});
/** Runs of the local engine that are still in flight. */
export const ACTIVE_RUNS_PK = 'RUNS#ACTIVE';
export const activeRunKey = (tenant: string, run: string): Key => ({ pk: ACTIVE_RUNS_PK, sk: `${run}#${tenant}` });
export const machineKey = (hash: string): Key => ({ pk: `MACHINE#${hash}`, sk: 'MACHINE' });

/** A tenant's image in the blob store. Generated images use another prefix, so writing one triggers no event. */
export const GENERATED_PREFIX = 'made-';
export const imageBlobKey = (tenant: string, key: string): string =>
  `${key.startsWith(GENERATED_PREFIX) ? 'made' : 'images'}/${tenant}/${key}`;

/** A key's rate-limit bucket. */
export const bucketKey = (keyId: string): Key => ({ pk: `KEY#${keyId}`, sk: 'BUCKET' });

/** Usage of a tenant's keys in a month, by key and tool. */
export const usagePk = (tenant: string, month: string): string => `T#${tenant}#USAGE#${month}`;
export const usageKey = (tenant: string, month: string, keyId: string, tool: string): Key => ({
  pk: usagePk(tenant, month),
  sk: `${keyId}#${tool}`,
});

/** Upload events that were received and are not finished. */
export const ACTIVE_UPLOADS_PK = 'UPLOADS#ACTIVE';
export const activeUploadKey = (delivery: string): Key => ({ pk: ACTIVE_UPLOADS_PK, sk: delivery });
/** Counters of the bytes that a tenant's pictures take. */
export const storagePartition = (tenant: string): string => `T#${tenant}#STORAGE`;
export const storageKey = (tenant: string, counter: string): Key => ({ pk: storagePartition(tenant), sk: counter });
export const uploadKey = (tenant: string, key: string): Key => ({ pk: `T#${tenant}#UPLOAD#${key}`, sk: 'UPLOAD' });

/** The scores of an uploaded image: under another prefix than the images, so writing them triggers no event. */
export const scoresBlobKey = (tenant: string, key: string): string => `scores/${tenant}/${key}.json`;

/** The manifest of a batch-worker job, and its result. */
export const manifestBlobKey = (id: string): string => `jobs/${id}/manifest.json`;
export const jobReportBlobKey = (manifest: string): string => manifest.replace(/[^/]*$/, 'report.json');
/** Every state machine, to find those no longer in use. */
export const MACHINES_PK = 'MACHINES';
export const machineListKey = (hash: string): Key => ({ pk: MACHINES_PK, sk: hash });

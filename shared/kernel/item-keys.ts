import { timeOfUlid } from './ids.ts';
import { keepLast } from './lazily.ts';
import type { Key } from './ports.ts';

/** Every key shape of the one table. Nobody else writes a `T#` or a `TOOL#`. */

const tenantPk = (tenant: string): string => `T#${tenant}`;

export const revisionKey = (tenant: string): Key => ({ pk: tenantPk(tenant), sk: 'REVISION' });
/** The tenant whose revision an item is; undefined for any other item. */
export const tenantOfRevision = ({ pk, sk }: Key): string | undefined =>
  sk === 'REVISION' && pk.startsWith('T#') ? pk.slice(2) : undefined;

export const CHANGE_PREFIX = 'CHANGE#';
// Twelve digits keep the text order that of the numbers.
export const changeKey = (tenant: string, revision: number): Key => ({
  pk: tenantPk(tenant),
  sk: `${CHANGE_PREFIX}${String(revision).padStart(12, '0')}`,
});

export const TOOL_PREFIX = 'TOOL#';
export const toolKey = (tenant: string, name: string): Key => ({ pk: tenantPk(tenant), sk: `${TOOL_PREFIX}${name}` });
export const toolsPk = tenantPk;

export const apiKeyKey = (id: string): Key => ({ pk: `KEY#${id}`, sk: 'KEY' });
/** The id of the key that an item is; undefined for any other item. */
export const idOfApiKey = ({ pk, sk }: Key): string | undefined =>
  sk === 'KEY' && pk.startsWith('KEY#') ? pk.slice(4) : undefined;
export const KEY_OF_TENANT_PREFIX = 'KEYOF#';
export const keyOfTenantKey = (tenant: string, id: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${KEY_OF_TENANT_PREFIX}${id}`,
});

export const onceKey = (tenant: string, digest: string): Key => ({ pk: `T#${tenant}#ONCE#${digest}`, sk: 'ONCE' });

/** A score is known by its picture, tool, what computed it, and reference. */
const SCORE_PREFIX = 'SCORE#';
const imagePk = (tenant: string, sha256: string): string => `T#${tenant}#IMAGE#${sha256}`;
export const scoreKey = (tenant: string, image: string, tool: string, digests: string): Key => ({
  pk: imagePk(tenant, image),
  sk: `${SCORE_PREFIX}${tool}#${digests}`,
});

/** A call's key follows from its id: the hour it was made in, and one of a few shards. */
const CALL_SHARDS = 4;
const HOUR_MS = 3_600_000;
// Most calls are of the hour of the call before; writing a date out takes longer than all else here.
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
/** The hours that have calls, so that a list need not look into every hour of a month. */
export const callHoursPk = (tenant: string): string => `T#${tenant}#CALLS`;
export const callHourKey = (tenant: string, hour: string): Key => ({ pk: callHoursPk(tenant), sk: hour });
export const tenantOfCallPk = (pk: string): string | undefined => /^T#([^#]+)#CALLS#[^#]+#\d+$/.exec(pk)?.[1];

export const statsPk = (tenant: string): string => `T#${tenant}#STATS`;
export const statsKey = (tenant: string, name: string, version: string): Key => ({
  pk: statsPk(tenant),
  sk: `${name}#${version}`,
});
/**
 * Totals of one shard of the stream: `path` is the bits of the names' hash that this item holds, so that all items of
 * a name are found level by level.
 */
export const totalsPk = (tenant: string): string => `T#${tenant}#TOTALS`;
export const totalsKey = (tenant: string, path: string, shard: string): Key => ({
  pk: totalsPk(tenant),
  sk: `${path}#${shard}`,
});
/** Versions that were put on the automatic blacklist from the stream, and how far their failures were told. */
export const blocksPk = (tenant: string): string => `T#${tenant}#BLOCKS`;
export const blockKey = (tenant: string, name: string, version: string): Key => ({
  pk: blocksPk(tenant),
  sk: `${name}#${version}`,
});
export const toldKey = (tenant: string, shard: string): Key => ({ pk: `T#${tenant}#TOLD`, sk: shard });
/** A record of the stream that could not be read. */
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

/** Points from a confirmation's id to the item that holds it, whose key only the token's owner can compute. */
export const CONFIRMATION_PREFIX = 'CONFIRMATION#';
export const confirmationKey = (tenant: string, id: string): Key => ({
  pk: tenantPk(tenant),
  sk: `${CONFIRMATION_PREFIX}${id}`,
});

export const auditPk = (tenant: string, month: string): string => `T#${tenant}#AUDIT#${month}`;

export const eventsPk = (tenant: string): string => `T#${tenant}#EVENTS`;
export const eventCountKey = (tenant: string): Key => ({ pk: eventsPk(tenant), sk: 'COUNT' });
export const EVENT_PREFIX = 'EVENT#';
export const eventKey = (tenant: string, id: number): Key => ({
  pk: eventsPk(tenant),
  sk: `${EVENT_PREFIX}${String(id).padStart(12, '0')}`,
});

/** A record of a stream without shards that has been folded. */
export const foldedKey = (eventId: string): Key => ({ pk: `STREAM#EVENT#${eventId}`, sk: 'FOLDED' });

export const planKey = (tenant: string, id: string): Key => ({ pk: `T#${tenant}#PLAN#${id}`, sk: 'PLAN' });
export const runPk = (tenant: string, id: string): string => `T#${tenant}#RUN#${id}`;
export const runKey = (tenant: string, id: string): Key => ({ pk: runPk(tenant, id), sk: 'RUN' });
/** The call that a run answers, where its caller did not wait. */
export const handedCallKey = (tenant: string, run: string): Key => ({ pk: runPk(tenant, run), sk: 'CALL' });
export const NODE_PREFIX = 'NODE#';
export const attemptKey = (tenant: string, run: string, node: string, attempt: number): Key => ({
  pk: runPk(tenant, run),
  sk: `${NODE_PREFIX}${node}#${String(attempt).padStart(3, '0')}`,
});
export const approvalKey = (tenant: string, run: string, node: string): Key => ({
  pk: runPk(tenant, run),
  sk: `${NODE_PREFIX}${node}#ASK`,
});
/** Runs that this machine's own engine has begun and not ended. */
export const ACTIVE_RUNS_PK = 'RUNS#ACTIVE';
export const activeRunKey = (tenant: string, run: string): Key => ({ pk: ACTIVE_RUNS_PK, sk: `${run}#${tenant}` });
export const machineKey = (hash: string): Key => ({ pk: `MACHINE#${hash}`, sk: 'MACHINE' });

/** Where a picture of a tenant lies among the blobs. Those we made lie apart, so that storing one starts nothing. */
export const MADE_PREFIX = 'made-';
export const imageBlobKey = (tenant: string, key: string): string =>
  `${key.startsWith(MADE_PREFIX) ? 'made' : 'images'}/${tenant}/${key}`;

/** A key's counters of a month, what was last seen of them, and its bucket of requests. */
export const quotaKey = (keyId: string, month: string): Key => ({ pk: `KEY#${keyId}`, sk: `QUOTA#${month}` });
export const quotaWatchKey = (keyId: string, month: string): Key => ({ pk: `KEY#${keyId}`, sk: `WATCH#${month}` });
export const bucketKey = (keyId: string): Key => ({ pk: `KEY#${keyId}`, sk: 'BUCKET' });

/** What a tenant's keys used in a month, by key and tool. */
export const usagePk = (tenant: string, month: string): string => `T#${tenant}#USAGE#${month}`;
export const usageKey = (tenant: string, month: string, keyId: string, tool: string): Key => ({
  pk: usagePk(tenant, month),
  sk: `${keyId}#${tool}`,
});

export const uploadKey = (tenant: string, key: string): Key => ({ pk: `T#${tenant}#UPLOAD#${key}`, sk: 'UPLOAD' });

/** Where the scores of an uploaded picture lie: apart from the pictures, so that writing them starts nothing. */
export const scoresBlobKey = (tenant: string, key: string): string => `scores/${tenant}/${key}.json`;

/** What a job of the Batch worker is to score, and what became of it. */
export const manifestBlobKey = (id: string): string => `jobs/${id}/manifest.json`;
export const jobReportBlobKey = (manifest: string): string => manifest.replace(/[^/]*$/, 'report.json');
/** Every machine there is, to find those nobody uses any more. */
export const MACHINES_PK = 'MACHINES';
export const machineListKey = (hash: string): Key => ({ pk: MACHINES_PK, sk: hash });

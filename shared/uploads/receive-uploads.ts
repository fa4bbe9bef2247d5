import { deletionKeys, isDeleted } from '../access/deleted-tenant.ts';
import { chooseTools, type ToolCriteria } from '../iqa/choose-tools.ts';
import type { Iqa } from '../iqa/iqa.ts';
import type { IqaTool } from '../iqa/metadata.ts';
import { imageBlobKey, uploadKey } from '../kernel/item-keys.ts';
import { put } from '../kernel/stored.ts';
import { claimUpload, type StoredObject, unrequestedUpload } from './claim.ts';
import { failedBefore } from './refused-picture.ts';
import { routeUpload, type UploadRoute } from './route-upload.ts';
import { scoreUpload, type UploadContext, type UploadResult } from './score-upload.ts';
import { readUpload, type Upload, UploadItem } from './upload.ts';

/** Sends images to a place with more memory or time. */
export interface Dispatch {
  readonly places: ReadonlySet<UploadRoute>;
  toFunction(object: StoredObject): Promise<void>;
  toBatch(objects: readonly StoredObject[]): Promise<void>;
}

export interface ReceiveContext extends UploadContext {
  readonly dispatch: Dispatch;
  /** The size of a stored image, from its header; undefined when it cannot be read. */
  readonly measure: (path: string) => Promise<{ readonly width: number; readonly height: number } | undefined>;
}

/** The result of one event: an outcome, or the error thrown. */
export type Received = { readonly outcome: UploadResult | 'sent' } | { readonly thrown: unknown };

/** How long an image that was sent elsewhere counts as in progress. */
const SENT_MS = 60 * 60_000;

/** Processes a batch of events independently: one failure does not affect the others. Results keep their order. */
export const receiveUploads = async (
  context: ReceiveContext,
  objects: readonly StoredObject[],
): Promise<readonly Received[]> => {
  const plans = await Promise.all(objects.map((object) => settled(() => planUpload(context, object))));
  const job = objects.filter((_, index) => isFor(plans[index], 'batch'));
  const submitted = job.length === 0 ? undefined : settled(() => context.dispatch.toBatch(job));
  const received: Received[] = [];
  for (const [index, object] of objects.entries()) {
    const plan = plans[index];
    if (plan === undefined || 'thrown' in plan) received.push(plan ?? { thrown: undefined });
    else received.push(await settledOutcome(() => follow(context, object, plan.value, submitted)));
  }
  return received;
};

type Plan = UploadRoute | Exclude<UploadResult, 'scored'>;
type Settled<T> = { readonly value: T } | { readonly thrown: unknown };

const planUpload = async (context: ReceiveContext, object: StoredObject): Promise<Plan> => {
  const { table, clock, dispatch } = context;
  if (dispatch.places.size === 0) return 'here';
  const item = await table.get(uploadKey(object.tenant, object.key));
  const known = item ? readUpload(item) : undefined;
  // Handled here: claiming it finds that its tenant was deleted.
  if (!known && isDeleted(await Promise.all(deletionKeys(object.tenant).map((key) => table.get(key))))) return 'here';
  const now = clock.now();
  const claim = claimUpload(known, object, now, { newId: '', owner: '' });
  if (claim.todo === 'nothing') return claim.why;
  // Handled here: scoring reports how long to wait.
  if (claim.todo === 'wait') return 'here';
  if (claim.todo === 'refuse') throw failedBefore(object, claim.error);
  // Handled here: only the header of such an image is read.
  if (claim.upload.score === false) return 'here';
  if (known?.sent?.etag === object.etag && now - known.sent.at < SENT_MS) return 'underway';
  return routeUpload(await estimateWork(context, object, claim.upload), dispatch.places);
};

const estimateWork = async ({ iqa, measure }: ReceiveContext, { tenant, key }: StoredObject, upload: Upload) => {
  const size = await measure(imageBlobKey(tenant, key));
  const pictures = upload.reference_key === undefined ? 1 : 2;
  return {
    megapixels: ((size?.width ?? 0) * (size?.height ?? 0) * pictures) / 1e6,
    learnedTools: await countLearned(iqa, upload),
  };
};

/** Tools that cannot run here count as zero; scoring reports them, wherever it runs. */
const countLearned = async (iqa: Iqa, { tools, distortions, reference_key }: Upload): Promise<number> => {
  const wish = { hasReference: reference_key !== undefined, tools, distortions };
  const canRun = await iqa.computations.availability();
  const learned = await Promise.all(
    chosen(iqa, wish, canRun).map(async (name) => {
      const tool = iqa.catalogue.find(name);
      return tool && canRun(tool) ? (await iqa.computations.require(tool)).open !== undefined : false;
    }),
  );
  return learned.filter((each) => each).length;
};

const chosen = (iqa: Iqa, wish: ToolCriteria, canRun: (tool: IqaTool) => boolean): readonly string[] => {
  try {
    return chooseTools(iqa.catalogue, wish, canRun);
  } catch {
    return [];
  }
};

const follow = async (
  context: ReceiveContext,
  object: StoredObject,
  plan: Plan,
  submitted: Promise<Settled<void>> | undefined,
): Promise<UploadResult | 'sent'> => {
  if (plan === 'here') return scoreUpload(context, object);
  if (plan !== 'function' && plan !== 'batch') return plan;
  if (plan === 'function') await context.dispatch.toFunction(object);
  else {
    const answer = await submitted;
    if (answer && 'thrown' in answer) throw answer.thrown;
  }
  await noteSent(context, object, plan);
  context.log.info('upload sent on', { tenant: object.tenant, image: object.key, to: plan });
  return 'sent';
};

/**
 * Stored after sending: an image that is sent twice is still scored once, but one marked and never sent would be lost.
 */
const noteSent = ({ table, clock }: ReceiveContext, object: StoredObject, to: UploadRoute): Promise<void> => {
  const key = uploadKey(object.tenant, object.key);
  return table.change([key], ([item]) => {
    const upload = item ? readUpload(item) : unrequestedUpload(object, clock.now());
    const sent = { etag: object.etag, to, at: clock.now() };
    return { writes: [put(key, UploadItem, { ...upload, sent }, item?.expires)], result: undefined };
  });
};

const isFor = (plan: Settled<Plan> | undefined, place: UploadRoute): boolean =>
  plan !== undefined && 'value' in plan && plan.value === place;

const settled = async <T>(work: () => Promise<T>): Promise<Settled<T>> => {
  try {
    return { value: await work() };
  } catch (thrown) {
    return { thrown };
  }
};

const settledOutcome = async (work: () => Promise<UploadResult | 'sent'>): Promise<Received> => {
  const done = await settled(work);
  return 'thrown' in done ? done : { outcome: done.value };
};

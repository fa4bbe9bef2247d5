import { ClientAnswerItem } from '../../functions/api/mcp/mailbox.ts';
import { AnswerItem } from '../../functions/api/stored-answer.ts';
import { DeletedTenantItem } from '../../shared/access/deleted-tenant.ts';
import { TenantsListedItem } from '../../shared/access/list-earlier-tenants.ts';
import { MachineItem, MachineListItem } from '../../shared/adapters/aws/machine.ts';
import { OauthItem, OauthOfGrantItem } from '../../shared/adapters/oauth/auth-server-store.ts';
import { AskedArgumentsItem } from '../../shared/execute/asked-arguments.ts';
import { AuditItem } from '../../shared/execute/audit.ts';
import { UsageArchiveItem } from '../../shared/execute/billing/closed-month.ts';
import { QuotaNoticeItem } from '../../shared/execute/billing/near-end.ts';
import { QuotaHolderItem } from '../../shared/execute/billing/quota-holders.ts';
import { QuotaItem, QuotaWatchItem } from '../../shared/execute/billing/recount.ts';
import { UsageItem } from '../../shared/execute/billing/usage.ts';
import { ConfirmationItem, ConfirmationPointerItem } from '../../shared/execute/confirmation-item.ts';
import { FoldedItem } from '../../shared/execute/fold-by-event.ts';
import { PoisonItem } from '../../shared/execute/fold-stream.ts';
import { GrantItem } from '../../shared/execute/grants.ts';
import { OpenQuestionsItem } from '../../shared/execute/open-questions.ts';
import { FailureCheckpointItem } from '../../shared/execute/report-failures.ts';
import { WaitingCallItem } from '../../shared/execute/waiting-call.ts';
import { BlockItem } from '../../shared/insight/block.ts';
import { RatingItem, RatingsItem } from '../../shared/insight/feedback.ts';
import { ListItem } from '../../shared/insight/lists.ts';
import { ShardTotalsItem } from '../../shared/insight/shard-totals.ts';
import { StatsItem } from '../../shared/insight/stats.ts';
import { ScoreItem } from '../../shared/iqa/score-cache.ts';
import type { Item } from '../../shared/kernel/ports.ts';
import { isUnreadable, read, type Stored } from '../../shared/kernel/stored.ts';
import { CallHourItem, CallItem, ReservedCallItem } from '../../shared/model/call-record.ts';
import { DeliveryItem } from '../../shared/model/delivery.ts';
import { ApiKeyItem, BucketItem, KeyOfTenantItem, TenantItem } from '../../shared/model/key.ts';
import { ChangeItem, FamilyItem, RevisionItem } from '../../shared/model/registration.ts';
import { ActiveRunItem, ApprovalItem, AttemptItem, RunItem } from '../../shared/model/run.ts';
import { SourceDueItem, SourceItem } from '../../shared/model/source.ts';
import { DeferredCallItem } from '../../shared/plan/deferred-call.ts';
import { PlanItem } from '../../shared/plan/run-store.ts';
import { BeatItem } from '../../shared/registry/edge-beat.ts';
import { EventCountItem, EventItem } from '../../shared/registry/events.ts';
import { AccountLinkItem } from '../../shared/sources/accounts.ts';
import { DocumentItem } from '../../shared/sources/documents.ts';
import { SecretItem } from '../../shared/sources/secrets.ts';
import { StorageItem } from '../../shared/uploads/storage.ts';
import { UploadItem } from '../../shared/uploads/upload.ts';

type Kind = Stored<never>;

/** Every key pattern (partition and sort key, separated by a space) with the kinds of items stored there. */
const kinds: readonly (readonly [RegExp, readonly unknown[]])[] = [
  [/^KEY#\S+ KEY$/, [ApiKeyItem]],
  [/^KEY#\S+ QUOTA#/, [QuotaItem]],
  [/^KEY#\S+ TOLD#/, [QuotaNoticeItem]],
  [/^KEY#\S+ WATCH#/, [QuotaWatchItem]],
  [/^KEY#\S+ BUCKET$/, [BucketItem]],
  [/^OAUTH#OF#\S+ /, [OauthOfGrantItem]],
  [/^OAUTH#\S+ OAUTH$/, [OauthItem]],
  [/^CONNECT#\S+ LINK$/, [AccountLinkItem]],
  [/^UPLOADS#ACTIVE /, [DeliveryItem]],
  [/^RUNS#ACTIVE /, [ActiveRunItem]],
  [/^QUOTAS#ACTIVE /, [QuotaHolderItem]],
  [/^MACHINE#\S+ MACHINE$/, [MachineItem]],
  [/^MACHINES /, [MachineListItem]],
  [/^SOURCES /, [SourceDueItem]],
  [/^STREAM#POISON /, [PoisonItem]],
  [/^STREAM#EVENT#\S+ FOLDED$/, [FoldedItem]],
  [/^T#[^#]+ REVISION$/, [RevisionItem]],
  [/^T#[^#]+ CHANGE#/, [ChangeItem]],
  [/^T#[^#]+ TOOL#/, [FamilyItem]],
  [/^T#[^#]+ KEYOF#/, [KeyOfTenantItem]],
  [/^EDGE BEAT$/, [BeatItem]],
  [/^TENANTS /, [TenantItem]],
  [/^TENANTS#DELETED /, [DeletedTenantItem]],
  [/^TENANTS#LISTED LISTED$/, [TenantsListedItem]],
  [/^T#[^#]+ SOURCE#/, [SourceItem]],
  [/^T#[^#]+ LIST#/, [ListItem]],
  [/^T#[^#]+ GRANT#/, [GrantItem]],
  [/^T#[^#]+ CONFIRMATION#/, [ConfirmationPointerItem]],
  [/^T#[^#]+#QUESTIONS#\S+ OPEN$/, [OpenQuestionsItem]],
  [/^T#[^#]+#ASKED#\S+ PART#/, [AskedArgumentsItem]],
  [/^T#[^#]+#WAITING /, [WaitingCallItem]],
  [/^T#[^#]+#CALLS /, [CallHourItem]],
  [/^T#[^#]+#CALLS#/, [CallItem, ReservedCallItem]],
  [/^T#[^#]+#EVENTS COUNT$/, [EventCountItem]],
  [/^T#[^#]+#EVENTS EVENT#/, [EventItem]],
  [/^T#[^#]+#STORAGE /, [StorageItem]],
  [/^T#[^#]+#SECRET /, [SecretItem]],
  [/^T#[^#]+#DOCUMENT /, [DocumentItem]],
  [/^T#[^#]+#STATS /, [StatsItem]],
  [/^T#[^#]+#TOTALS /, [ShardTotalsItem]],
  [/^T#[^#]+#BLOCKS /, [BlockItem]],
  [/^T#[^#]+#TOLD /, [FailureCheckpointItem]],
  [/^T#[^#]+#RATINGS /, [RatingsItem]],
  [/^T#[^#]+#RATING#/, [RatingItem]],
  [/^T#[^#]+#USAGE#/, [UsageItem]],
  [/^T#[^#]+#ARCHIVE /, [UsageArchiveItem]],
  [/^T#[^#]+#AUDIT#/, [AuditItem]],
  [/^T#[^#]+#IMAGE#\S+ SCORE#/, [ScoreItem]],
  [/^T#[^#]+#UPLOAD#/, [UploadItem]],
  [/^T#[^#]+#PLAN#/, [PlanItem]],
  [/^T#[^#]+#RUN#\S+ RUN$/, [RunItem]],
  [/^T#[^#]+#RUN#\S+ CALL$/, [DeferredCallItem]],
  [/^T#[^#]+#RUN#\S+ NODE#\S+#ASK$/, [ApprovalItem]],
  [/^T#[^#]+#RUN#\S+ NODE#\S+#\d{3}$/, [AttemptItem]],
  [/^T#[^#]+#ONCE#/, [ConfirmationItem, AnswerItem, ClientAnswerItem]],
];

/** The kinds of items that may be stored under a key. */
export const kindsOf = ({ pk, sk }: Item['key']): readonly Kind[] =>
  (kinds.find(([shape]) => shape.test(`${pk} ${sk}`))?.[1] ?? []) as readonly Kind[];

/** Whether this release can read an item as one of the kinds allowed under its key. */
export const isReadable = (item: Item): boolean =>
  kindsOf(item.key).some((kind) => {
    try {
      read(item, kind);
      return true;
    } catch (thrown) {
      if (isUnreadable(thrown)) return false;
      throw thrown;
    }
  });

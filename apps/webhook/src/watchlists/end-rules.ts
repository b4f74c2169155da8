import { endStanding } from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import type { Ring } from '../lanes/ring';
import type { MessageDraft } from '../messages/draft';
import { OPERATIONAL_META } from '../messages/notices';
import { recordMessages } from '../messages/record-messages';
import type { RuleStanding, WatchedRule, Watchlist } from './watchlist';

/** Tells of the open episodes of rules that end, in the transaction that ends them. */
export async function tellEnded(
  on: Queryable,
  watchlist: Watchlist,
  ended: readonly { readonly rule: WatchedRule; readonly standing: RuleStanding }[],
  nowMs: number,
): Promise<Ring[]> {
  if (watchlist.muted) return [];
  const drafts = ended.flatMap(({ rule, standing }) => endedNotice(watchlist, rule, standing));
  return (await recordMessages(on, drafts, nowMs)).rings;
}

function endedNotice(watchlist: Watchlist, { ruleId, spec }: WatchedRule, { symbol, standing }: RuleStanding): MessageDraft[] {
  const notice = endStanding(standing);
  if (notice === undefined) return [];
  const { tenantId, watchlistId, kind, name } = watchlist;
  const data = {
    watchlist_id: watchlistId,
    watchlist_kind: kind,
    watchlist_name: name,
    rule_id: ruleId,
    phase: notice.phase,
    episode_id: notice.episodeId,
    transition: notice.transition,
    condition: { kind: spec.kind, params: spec.params },
    symbol,
  };
  const occasion = `alert ${ruleId} ${symbol} ${notice.transition} ended`;
  return [{ tenantId, eventKind: 'alert.triggered', occasion, symbol, data, meta: OPERATIONAL_META, credits: 1 }];
}

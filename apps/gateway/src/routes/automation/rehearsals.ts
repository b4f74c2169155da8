import type { webhook as contract } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { parseInstant, toUtc } from '../../serving/meta/instant';
import { type Described, documentedWord } from '../../serving/openapi/described';
import { fromRehearsal, stateOf, toRule } from './watchlist-rules';
import type { WatchlistsDeps } from './watchlists';

const phaseOf = documentedWord('RehearsedNotice', 'phase');
const SAID = 'Messages that the rules would have sent, evaluated by the live code.';

export function rehearseWatchlist({ watchlists }: WatchlistsDeps): Handler<'rehearseWatchlist'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { from = '', to = '' } = call.input.body ?? {};
    const span = { fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0 };
    const watchlistId = call.input.path.watchlist_id;
    const rehearsed = await fromRehearsal(watchlists.call.rehearse({ tenantId, watchlistId, symbols: [], rules: [], ...span }));
    return accountAnswer(call, showRehearsal(rehearsed), SAID);
  };
}

export function rehearseAlerts({ watchlists }: WatchlistsDeps): Handler<'rehearseAlerts'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { symbols, rules, from = '', to = '' } = call.input.body;
    const span = { fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0 };
    const rehearsal = { tenantId, watchlistId: '', symbols: [...symbols], rules: rules.map(toRule), ...span };
    return accountAnswer(call, showRehearsal(await fromRehearsal(watchlists.call.rehearse(rehearsal))), SAID);
  };
}

function showRehearsal(rehearsed: contract.RehearseResponse) {
  return {
    from_utc: toUtc(rehearsed.fromMs),
    to_utc: toUtc(rehearsed.toMs),
    packets_looked_at: rehearsed.packets,
    steps: rehearsed.steps,
    rules: rehearsed.rules.map(showRule),
    deliveries: rehearsed.deliveries,
    market_state_credits: rehearsed.marketStateCredits,
  };
}

function showRule(rule: contract.RehearsedRule): Described<'RehearsedRule'> {
  const { triggered, recovered, suppressed, flaps, holes, symbol } = rule;
  return {
    rule_index: rule.ruleIndex,
    rule_id: rule.ruleId === '' ? null : rule.ruleId,
    symbol,
    triggered,
    recovered,
    suppressed,
    flaps,
    holes,
    state: stateOf(rule.state),
    settings: rule.settings.map(({ minConsecutive, ...counts }) => ({ min_consecutive: minConsecutive, ...counts })),
    notices: rule.notices.map((notice) => ({
      phase: phaseOf(notice.phase),
      window_end_utc: toUtc(notice.windowEndMs),
      event_id: notice.eventId,
      replay_cursor: notice.replayCursor,
    })),
  };
}

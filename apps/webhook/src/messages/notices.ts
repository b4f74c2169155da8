import { type Notice, type RuleInput, type RuleSpec, WINDOW_MS } from '@market-state/alert-rules';
import { readMarket } from '@market-state/market-data';

const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';

export const packetMeta = ({ synthetic }: Pick<RuleInput, 'synthetic'>): object => ({
  schema: 'market_state_webhook.v1',
  claim_boundary: CLAIM_BOUNDARY,
  synthetic,
});

export const OPERATIONAL_META = { schema: 'market_state_webhook.v1', claim_boundary: CLAIM_BOUNDARY, synthetic: false };

function packetReference(input: RuleInput) {
  const { symbol, sequence, window_end_ms: endMs, event_id: eventId, replay_cursor: cursor } = input;
  const [start, end] = [endMs - WINDOW_MS + 1, endMs + 1];
  return {
    ...readMarket(symbol),
    packet_sequence: sequence,
    window_end_utc: new Date(endMs).toISOString(),
    event_id: eventId,
    replay_cursor: cursor,
    routes: {
      packet: `/api/public/market-state/packets/${eventId}/workbench`,
      evidence: `/api/public/market-state/events/${eventId}/evidence`,
      replay: `/api/public/market-state/replay?symbol=${symbol}&replay_window_seconds=300&limit=30&cursor=${cursor}`,
      replay_window: `/api/public/data/replay/window?symbol=${symbol}&start=${start}&end=${end}`,
    },
    gap_ids: input.gap_ids,
  };
}

export function packetCreated(input: RuleInput, late: boolean) {
  const { state, event_class: eventClass, event_profile: profile, severity_class: severityClass, scores, tags, synthetic } = input;
  const { severity_score: severityScore = null } = scores;
  const severity = { severity_class: severityClass, severity_score: severityScore };
  return { ...packetReference(input), state, event_class: eventClass, event_profile: profile, ...severity, tags, late, synthetic };
}

export function stateChanged(input: RuleInput, previousState: string, late: boolean) {
  return { ...packetCreated(input, late), previous_state: previousState };
}

export interface NoticeRule {
  readonly ruleId: string;
  readonly spec: RuleSpec;
  readonly watchlistId: string;
  readonly watchlistKind: 'watchlist' | 'alert';
  readonly watchlistName: string;
}

/** Rule part of the `data` of `alert.triggered`, for every phase; precedes the packet part. */
export function alertNotice(rule: NoticeRule, notice: Notice): object {
  return {
    watchlist_id: rule.watchlistId,
    watchlist_kind: rule.watchlistKind,
    watchlist_name: rule.watchlistName,
    rule_id: rule.ruleId,
    phase: notice.phase,
    episode_id: notice.episodeId,
    transition: notice.transition,
    condition: { kind: rule.spec.kind, params: rule.spec.params, ...notice.condition },
  };
}

/** Packet part of the `data` of `alert.triggered`. */
export function noticedPacket(input: RuleInput, late: boolean): object {
  return { ...packetReference(input), late, synthetic: input.synthetic };
}

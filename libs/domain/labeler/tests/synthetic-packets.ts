import { assemblePacket, type Packet } from '../src/packet/packet';
import { FEATURE_KEYS, type Features, type CompositeName } from '../src/names';
import { SOURCE_FAMILIES, type CompositeRead, type PacketRead } from '../src/read';
import { composite, decisionOf, packetRead, policy, severityOf, thresholdsOf } from './packet-read';

/** Packets of situations that the recordings do not contain, by name. */
export function syntheticPackets(): Readonly<Record<string, Packet>> {
  return Object.fromEntries(Object.entries(syntheticReads()).map(([name, read]) => [name, assemblePacket(read, policy)]));
}

export function syntheticReads(): Readonly<Record<string, PacketRead>> {
  return {
    quiet: packetRead(),
    noBook: noBook(),
    staleBook: packetRead({
      ...retained('replay_context_ready'),
      features: features({ freshness_ms: 61_250, spread_bps: 0.02 }),
      sources: sources({ book: ['partial', 'stale', 61_250], trades: ['partial', 'stale', 70_000], candles: ['partial', 'stale', 70_000] }),
      sourceSupportRatio: 0.7,
      gapFlags: ['book_gap', 'trade_gap', 'feed_reconnected', 'recording_seam', 'late_events'],
      gaps: [{ gapId: 'gap_1', channel: 'book', startMs: 1_723_161_540_000, endMs: 0, reason: 'sequence_gap' }],
      gapSeconds: 60,
      lateEventTotal: 4,
    }),
    cascade: cascade(),
    contextStale: packetRead({
      sources: sources({ asset_context: ['partial', 'stale', 150_000], liquidations: ['partial', 'proxy_only', 9_000] }),
      sourceSupportRatio: 0.8,
      gapFlags: ['context_stale', 'liquidation_proxy_only'],
      features: features({ funding_rate_abs: 0.000_012, liquidation_event_count: 3, recent_trade_count: 4 }),
      calibration: { thresholdSource: 'policy_default', live: true, sampleTotal: 60 },
    }),
  };
}

function features(values: Partial<Features>): Features {
  return { ...(Object.fromEntries(FEATURE_KEYS.map((key) => [key, 0])) as Features), ...values };
}

type SourceRead = PacketRead['sources'][number];
type Source = readonly [SourceRead['status'], SourceRead['reason'], number | null];

function sources(changes: Partial<Record<(typeof SOURCE_FAMILIES)[number], Source>>): PacketRead['sources'] {
  return SOURCE_FAMILIES.map((family) => {
    const [status, reason, ageMs] = changes[family] ?? ['resolved', 'inside_staleness_limit', 120];
    return { family, status, reason, ageMs } as SourceRead;
  });
}

function retained(winner: 'insufficient_evidence' | 'replay_context_ready'): Partial<PacketRead> {
  return {
    decision: decisionOf(winner, 1, 'market_state_watch', 0.35),
    published: {
      state: winner,
      rule: 'changed_to_winner',
      changed: true,
      agePackets: 1,
      persistenceSeconds: 0,
      winnerStreak: 1,
      lostStreak: 0,
    },
    severity: severityOf(0, 'routine_context', [], 0.340_627, 0.512_821),
    eventClass: 'retained_context_only',
    eventProfile: 'retained_context',
    direction: 'no_current_read',
    diagnosisClass: 'competing_state_read',
    transitionType: 'state_changed',
  };
}

/** First packet of a chain, before any book. */
function noBook(): PacketRead {
  const missing: Source = ['missing', 'never_seen', null];
  const unreported: Source = ['missing', 'not_reported_by_venue', null];
  const none = composite(0, 0, false);
  const composites: Record<CompositeName, CompositeRead> = {
    pressure: none,
    flow: none,
    fragility: none,
    crowding: none,
    forced_flow: none,
    regime: none,
  };
  const base = packetRead();
  return packetRead({
    ...retained('insufficient_evidence'),
    transitionType: 'lineage_context_pending',
    mid: null,
    bestBid: null,
    bestAsk: null,
    features: {
      ...(Object.fromEntries(FEATURE_KEYS.map((key) => [key, null])) as Features),
      source_resolved_family_total: 0,
      lineage_vote_score: 1,
    },
    imbalances: { top1: null, top3: null, top5: null },
    tradeImbalance: null,
    priceMoveBps: 0,
    priceMoveMeasured: false,
    composites,
    thresholds: thresholdsOf(composites),
    calibration: { thresholdSource: 'policy_default', live: true, sampleTotal: 0 },
    realizedVolShort: null,
    realizedVolSession: null,
    oiChange1h: null,
    sources: sources({ book: missing, trades: missing, candles: missing, asset_context: unreported, liquidations: unreported }),
    sourceSupportRatio: 0,
    severity: severityOf(0, 'routine_context', [], null, null),
    sessionState: null,
    absorptionBoundBps: null,
    movementBps: null,
    confidence: { score: 0, label: 'low', terms: [] },
    quality: { score: 0, qualityClass: 'limited' },
    trail: {
      previousState: null,
      previousWinner: null,
      previousEventClass: null,
      previousEventProfile: null,
      previousComposites: null,
      trailingComposites: null,
      previousSeverity: null,
      previousTags: null,
      previousMid: null,
      previousPressure: null,
      previousFlow: null,
    },
    lanes: { ...base.lanes, sessionRegime: null, historicalReplay: null },
    lineage: { ...base.lineage, packetsBefore: 0 },
  });
}

/** Longs are liquidated into a thin bid-heavy book while volatility rises and crowding is high. */
function cascade(): PacketRead {
  const composites: Record<CompositeName, CompositeRead> = {
    pressure: composite(0.5, 1, true, { m180: 0.5, held_seconds: 180 }),
    flow: composite(0.9, -1, true, { trade_imbalance: -0.9, depth_ratio: 2.5, flow_10s: -0.95 }),
    fragility: composite(0.7, 0, true, { thin: 0.8, churn: 0.6, wide: 0.7 }),
    crowding: composite(0.8, 0, true, { oi_change_1h: 0.001 }),
    forced_flow: composite(0.9, -1),
    regime: composite(0.8, 0, true, { realized_vol_short: 0.001_1, realized_vol_session: 0.000_25, range_ratio: 3.031433 }),
  };
  return packetRead({
    composites,
    thresholds: thresholdsOf(composites),
    features: features({
      spread_bps: 3.5,
      liquidation_event_count: 41,
      liquidation_notional_usd: 1_250_000.5,
      liquidation_pressure_direction: -1,
      liquidation_skew_abs: 0.9,
      recent_trade_count: 950,
      large_trade_share: 0.81,
      funding_rate_abs: 0.000_061,
      open_interest_context_present: 1,
    }),
    priceMoveBps: -48.25,
    imbalances: { top1: -0.6, top3: 0.3, top5: 0.55 },
    tradeImbalance: -0.9,
    realizedVolShort: 0.001_1,
    decision: decisionOf('fragile_depth_watch', 0.7, 'flow_shift_watch', 0.66),
    published: {
      state: 'crowding_persistent',
      rule: 'held_by_dwell',
      changed: false,
      agePackets: 40,
      persistenceSeconds: 390,
      winnerStreak: 1,
      lostStreak: 1,
    },
    eventClass: 'trade_flow_leading_visible_book',
    eventProfile: 'trade_flow_lead',
    direction: 'aggressive_sell_flow',
    severity: severityOf(0.72, 'critical_context', ['movement', 'thin_depth'], 0.7, 0.8),
    movementBps: 80,
    absorptionBoundBps: 7,
    contradiction: { score: 0.5, terms: [{ name: 'book_against_flow', value: 0.5 }] },
    diagnosisClass: 'contested_context_review',
    transitionType: 'same_state_new_context',
  });
}

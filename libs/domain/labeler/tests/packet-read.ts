import { loadPolicy } from '../src/index';
import { severityBounds } from '../src/decision/packet-scores';
import { ZERO_DIGEST } from '../src/reducer/labeler-state';
import { marketFacts } from '../src/packet/market-facts';
import { deriveTags } from '../src/policy/rules';
import { FEATURE_KEYS, type Features, COMPOSITES, type CompositeName } from '../src/names';
import {
  SOURCE_FAMILIES,
  SOURCE_STATES,
  STATES,
  type CompositeRead,
  type LaneRead,
  type MarketRead,
  type PacketRead,
  type StateName,
} from '../src/read';

export const policy = loadPolicy();

/** 2024-08-09T00:00:00Z. */
const WINDOW_END_MS = 1_723_161_600_000;

/** Quiet market with every source; `changes` override it, tags are derived from the result. */
export function packetRead(changes: Partial<PacketRead> = {}): PacketRead {
  const read: PacketRead = { ...quietMarket(), tags: [], ...chainFields(), ...changes };
  return { ...read, tags: changes.tags ?? deriveTags(marketFacts(read, policy), policy) };
}

/** Composite with watch 0.35 and elevated 0.60, held at or above watch. */
export function composite(
  score: number,
  side: -1 | 0 | 1 = 0,
  available = true,
  parts: Readonly<Record<string, number>> = {},
): CompositeRead {
  const norm = score < 0.35 ? (0.5 * score) / 0.35 : Math.min(1, 0.5 + (0.5 * (score - 0.35)) / 0.25);
  const known = Object.entries(parts).map(([name, value]) => ({ name, value }));
  const terms = available ? known : [{ name: 'part', value: null, note: 'source_missing' as const }];
  const held = available && score >= 0.35;
  return {
    score,
    norm: Number(norm.toFixed(6)),
    side,
    watch: 0.35,
    elevated: 0.6,
    held,
    leaveAt: 0.175,
    heldPackets: held ? 4 : 0,
    available,
    terms,
  };
}

export function thresholdsOf(composites: Readonly<Record<CompositeName, CompositeRead>>): MarketRead['thresholds'] {
  return COMPOSITES.flatMap((name) =>
    (['watch', 'elevated'] as const).map((level) => {
      const { score, [level]: threshold } = composites[name];
      const distance = Number((score - threshold).toFixed(6));
      const crossingClass = distance >= 0 ? 'crossed' : score >= 0.9 * threshold ? 'near_threshold' : 'below';
      return { featureId: `${name}_${level}`, composite: name, level, threshold, value: score, distance, crossingClass } as const;
    }),
  );
}

const OPENABLE: readonly StateName[] = STATES.filter((state) => !SOURCE_STATES.includes(state) && state !== 'market_state_watch');

export function decisionOf(winner: StateName, winnerScore: number, runnerUp: StateName, runnerUpScore: number): MarketRead['decision'] {
  const scores: Partial<Record<StateName, number>> = { market_state_watch: 0.35, [runnerUp]: runnerUpScore, [winner]: winnerScore };
  return {
    winner,
    winnerScore,
    runnerUp,
    runnerUpScore,
    margin: Number((winnerScore - runnerUpScore).toFixed(6)),
    candidates: STATES.map((state) => {
      const open = OPENABLE.includes(state) ? (scores[state] ?? 0) > 0.35 : null;
      return { state, score: scores[state] ?? 0, terms: open === null ? [] : [{ name: 'open', value: open ? 1 : 0 }], open };
    }),
  };
}

export function severityOf(
  score: number,
  severityClass: MarketRead['severity']['severityClass'],
  basis: MarketRead['severity']['basis'],
  movementShare: number | null,
  thinShare: number | null,
): MarketRead['severity'] {
  return { score, severityClass, basis, movementShare, thinShare, strongestShare: 0.5, bounds: severityBounds(policy.numbers) };
}

function quietMarket(): Omit<MarketRead, never> {
  const composites: Record<CompositeName, CompositeRead> = {
    pressure: composite(0.12, 1, true, { m180: 0.12, held_seconds: 178.5 }),
    flow: composite(0.08, -1, true, { trade_imbalance: -0.1, depth_ratio: 0.8, flow_10s: -0.02 }),
    fragility: composite(0.1, 0, true, { thin: 0.1, churn: 0.1, wide: 0.06 }),
    crowding: composite(0.05, 0, true, { oi_change_1h: 0.001 }),
    forced_flow: composite(0),
    regime: composite(0, 0, true, { realized_vol_short: 0.000_21, realized_vol_session: 0.000_25, range_ratio: 0.833333 }),
  };
  return {
    symbol: 'BTCUSD-PERP',
    market: 'BTCUSD-PERP',
    venue: 'binance-coinm',
    sourceKind: 'simulated',
    windowEndMs: WINDOW_END_MS,
    mid: 61_668.65,
    bestBid: '61668.6',
    bestAsk: '61668.7',
    features: Object.fromEntries(FEATURE_KEYS.map((key) => [key, 0])) as Features,
    imbalances: { top1: 0.2, top3: 0.1, top5: 0.15 },
    tradeImbalance: -0.08,
    priceMoveBps: 1.25,
    priceMoveMeasured: true,
    absorptionBoundBps: 2,
    movementBps: 4.5,
    ranges: { total: 720, newest: 0.8, fast: 0.9, middle: 1.1, slow: 1.2, level: 1 },
    notAvailable: [],
    composites,
    thresholds: thresholdsOf(composites),
    calibration: { thresholdSource: 'symbol_rolling_quantile', live: false, sampleTotal: 600 },
    realizedVolShort: 0.000_21,
    realizedVolSession: 0.000_25,
    oiChange1h: 0.001,
    sources: SOURCE_FAMILIES.map((family) => ({ family, status: 'resolved', reason: 'inside_staleness_limit', ageMs: 120 })),
    sourceSupportRatio: 1,
    gapFlags: [],
    gaps: [],
    gapSeconds: 0,
    lateEventTotal: 0,
    windowEventTotals: { book: 40, trade: 25, context: 3, liquidation: 0 },
    decision: decisionOf('market_state_watch', 0.35, 'fragile_depth_watch', 0.142857),
    published: {
      state: 'market_state_watch',
      rule: 'winner_is_published',
      changed: false,
      agePackets: 12,
      persistenceSeconds: 110,
      winnerStreak: 12,
      lostStreak: 0,
    },
    sessionState: {
      state: 'market_state_watch',
      share: 0.8,
      packetTotal: 90,
      agePackets: 400,
      runnerUp: 'depth_watch',
      runnerUpShare: 0.2,
    },
    eventClass: 'balanced_two_sided_context',
    eventProfile: 'routine_context',
    direction: 'no_dominant_side',
    severity: severityOf(0.375_066, 'routine_context', [], 0.340_627, 0.512_821),
    contradiction: { score: 0.068_572, terms: [{ name: 'book_against_flow', value: 0.068_572 }] },
    confidence: { score: 0.82, label: 'high', terms: [{ name: 'source_support_ratio', value: 1 }] },
    quality: { score: 100, qualityClass: 'strong' },
    trail: {
      previousState: 'market_state_watch',
      previousWinner: 'market_state_watch',
      previousEventClass: 'balanced_two_sided_context',
      previousEventProfile: 'routine_context',
      previousComposites: { pressure: 0.1, flow: 0.05, fragility: 0.1, crowding: 0.05, forced_flow: 0, regime: 0.1 },
      trailingComposites: { pressure: 0.11, flow: 0.06, fragility: 0.1, crowding: 0.05, forced_flow: 0, regime: 0.1 },
      previousSeverity: 0.11,
      previousTags: [],
      previousMid: 61_667.15,
      previousPressure: 0.1,
      previousFlow: -0.05,
    },
  };
}

function lane(asOfMs: number, numbers: Readonly<Record<string, number>>): LaneRead {
  return { asOfMs, state: 'market_state_watch', confidence: { score: 0.8, label: 'high' }, sampleTotal: 400, stateShare: 0.75, numbers };
}

function chainFields(): Pick<PacketRead, 'novelty' | 'transitionType' | 'diagnosisClass' | 'lanes' | 'lineage'> {
  return {
    novelty: 0.2,
    transitionType: 'state_reaffirmed',
    diagnosisClass: 'competing_state_read',
    lanes: {
      shortWindow: lane(WINDOW_END_MS, { pressure_mean: 0.1, flow_mean: -0.02, fragility_mean: 0.1, spread_bps_mean: 0.3, state_flips: 1 }),
      sessionRegime: lane(WINDOW_END_MS - 60_000, {
        session_minutes: 66.5,
        state_flips: 9,
        pressure_abs_mean: 0.2,
        flow_abs_mean: 0.1,
        fragility_mean: 0.1,
      }),
      historicalReplay: lane(WINDOW_END_MS - 300_000, {
        history_hours: 1.111111,
        price_range_bps: 42.5,
        severity_mean: 0.3,
        state_flips: 9,
      }),
      eventLineage: lane(WINDOW_END_MS, { severity_mean: 0.15, state_flips: 0 }),
    },
    lineage: {
      packetId: 'pkt_00000000000000000000000000',
      eventId: 'evt_00000000000000000000000000',
      policyDigest: policy.digest,
      inputDigest: ZERO_DIGEST,
      previousLineageDigest: ZERO_DIGEST,
      previousPacketId: null,
      packetsBefore: 600,
      windowEventTotal: 68,
    },
  };
}

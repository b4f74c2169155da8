import type { CompositeName, FeatureKey, Policy, SourceFamily } from '@market-state/labeler';

export type ReadingWindow =
  | 'book_at_window_end'
  | 'book_at_window_end_against_session'
  | 'last_seconds'
  | 'last_context_event'
  | 'last_packets'
  | 'last_steps'
  | 'sources_at_window_end';

interface Measure {
  readonly unit: string;
  readonly window: ReadingWindow;
  /** Longest window; it never crosses a gap or seam. Null if the newest value is used. */
  readonly windowSeconds: number | null;
  readonly meaning: string;
}

function atWindowEnd(unit: string, meaning: string): Measure {
  return { unit, window: 'book_at_window_end', windowSeconds: null, meaning };
}

function lastSeconds(unit: string, milliseconds: number, meaning: string): Measure {
  return { unit, window: 'last_seconds', windowSeconds: milliseconds / 1_000, meaning };
}

function lastContext(unit: string, meaning: string): Measure {
  return { unit, window: 'last_context_event', windowSeconds: null, meaning };
}

interface CompositeDefinition {
  readonly formula: string;
  readonly terms: Readonly<Record<string, Measure>>;
  readonly features: readonly FeatureKey[];
  readonly families: readonly SourceFamily[];
  readonly tagFamilies: readonly string[];
  readonly reasonFamilies: readonly string[];
  readonly calibrated: boolean;
}

type Shape = Omit<CompositeDefinition, 'calibrated'>;

function pressure({ minimums, windows }: Policy['numbers']): Shape {
  return {
    formula: 'abs(m180)',
    terms: {
      imb_5: atWindowEnd('ratio', 'Depth imbalance over five levels: positive if bids outweigh asks.'),
      imb_1: atWindowEnd('ratio', 'Depth imbalance at the best level: positive if the bid outweighs the ask.'),
      m180: lastSeconds(
        'ratio',
        windows.state_ms,
        `Mean of imb_5, weighted by the time each book was in force; time missing from ${minimums.held_ms / 1_000} s counts as balanced.`,
      ),
      held_seconds: lastSeconds('seconds', windows.state_ms, 'Time during which a book was in force.'),
      pressure_signed: lastSeconds('score', windows.state_ms, 'That mean, positive to the bid side.'),
    },
    features: ['visible_depth_imbalance_top1_abs', 'visible_depth_imbalance_top3_abs', 'visible_depth_imbalance_top5_abs', 'freshness_ms'],
    families: ['book'],
    tagFamilies: ['pressure', 'depth', 'alignment'],
    reasonFamilies: ['pressure', 'alignment'],
  };
}

function flow({ composites, windows }: Policy['numbers']): Shape {
  const depthSeconds = composites.flow_depth_ms / 1_000;
  return {
    formula: 'abs(flow_signed)',
    terms: {
      trade_imbalance: lastSeconds(
        'ratio',
        windows.state_ms,
        'Traded size of aggressive buyers minus that of aggressive sellers, divided by their sum.',
      ),
      depth_ratio: lastSeconds(
        'ratio',
        windows.state_ms,
        `Traded size over the mean depth of five levels a side, once each ${depthSeconds} s: size under it weighs less.`,
      ),
      flow_10s: lastSeconds(
        'ratio',
        windows.packet_interval_ms,
        'The same ratio for the last window only, against the same depth; not part of the score.',
      ),
      flow_signed: lastSeconds(
        'score',
        windows.state_ms,
        'trade_imbalance × min(1, depth_ratio), before rounding; positive to the buy side.',
      ),
    },
    features: ['recent_trade_count', 'trade_imbalance_abs', 'large_trade_share'],
    families: ['trades'],
    tagFamilies: ['flow', 'trades', 'alignment'],
    reasonFamilies: ['flow', 'alignment'],
  };
}

function fragility({ features, windows }: Policy['numbers']): Shape {
  const { fragility_weight_thin: thin, fragility_weight_churn: churn, fragility_weight_wide: wide } = features;
  const againstSession = (meaning: string): Measure => ({
    unit: 'ratio',
    window: 'book_at_window_end_against_session',
    windowSeconds: null,
    meaning,
  });
  return {
    formula: `${thin} × thin + ${churn} × churn + ${wide} × wide`,
    terms: {
      thin: againstSession('Missing share of five-level depth relative to its session median.'),
      churn: lastSeconds(
        'share',
        windows.book_ms,
        'Share of steps between books, best prices unchanged, in which a best size fell by half or more without trades to explain it.',
      ),
      wide: againstSession('How far the spread is above its session median; 1 at five times the median.'),
    },
    features: ['queue_fragility_score', 'spread_bps', 'freshness_ms'],
    families: ['book'],
    tagFamilies: ['queue', 'spread', 'depth'],
    reasonFamilies: ['fragility'],
  };
}

function crowding({ composites, windows }: Policy['numbers']): Shape {
  const {
    crowding_weight_funding: funding,
    crowding_weight_open_interest: interest,
    funding_full_per_year: year,
    open_interest_full_change: change,
  } = composites;
  return {
    formula: `${funding} × funding_term + ${interest} × open_interest_term`,
    terms: {
      funding_term: lastContext('ratio', `Size of the annualised funding rate relative to ${year * 100} %, at most 1.`),
      oi_change_1h: lastSeconds(
        'ratio',
        windows.open_interest_ms,
        'Change of open interest from the newest value that is at least an hour old.',
      ),
      open_interest_term: lastSeconds('ratio', windows.open_interest_ms, `Size of that change relative to ${change * 100} %, at most 1.`),
    },
    features: ['funding_rate_abs', 'open_interest_context_present'],
    families: ['asset_context'],
    tagFamilies: ['crowding'],
    reasonFamilies: ['crowding'],
  };
}

function forcedFlow({ composites, windows }: Policy['numbers']): Shape {
  const { forced_flow_floor_usd: floor, forced_flow_traded_share: share } = composites;
  return {
    formula: `min(1, liquidation_notional_usd / max(${floor}, ${share} × traded_notional_usd))`,
    terms: {
      liquidation_notional_usd: lastSeconds('us_dollars', windows.liquidation_ms, 'Value of the forced closes of positions.'),
      traded_notional_usd: lastSeconds('us_dollars', windows.notional_ms, 'Total traded value.'),
    },
    features: ['liquidation_event_count', 'liquidation_notional_usd', 'liquidation_skew_abs', 'liquidation_pressure_direction'],
    families: ['liquidations'],
    tagFamilies: ['forced_flow'],
    reasonFamilies: ['forced_flow'],
  };
}

function regime({ composites, windows, ranges }: Policy['numbers']): Shape {
  const overReturns = (total: number, meaning: string): Measure => ({
    unit: 'log_step_per_10_seconds',
    window: 'last_steps',
    windowSeconds: (total * windows.packet_interval_ms) / 1_000,
    meaning,
  });
  return {
    formula: `min(1, max(0, ln(range_ratio)) / ln(${composites.regime_full_ratio}))`,
    terms: {
      realized_vol_short: overReturns(
        windows.short_return_total,
        `Root mean square of the last ${windows.short_return_total} steps of mid from packet to packet; not part of the score.`,
      ),
      realized_vol_session: overReturns(
        windows.session_return_total,
        `Root mean square of up to ${windows.session_return_total} such steps; not part of the score.`,
      ),
      range_ratio: {
        unit: 'ratio',
        window: 'last_steps',
        windowSeconds: (ranges.slow_packets * windows.packet_interval_ms) / 1_000,
        meaning: 'Price ranges of the last minutes over those of the last half hour.',
      },
    },
    features: ['lineage_price_move_bps_abs'],
    families: ['book'],
    tagFamilies: ['regime'],
    reasonFamilies: ['regime'],
  };
}

const SHAPES: Readonly<Record<CompositeName, (numbers: Policy['numbers']) => Shape>> = {
  pressure,
  flow,
  fragility,
  crowding,
  forced_flow: forcedFlow,
  regime,
};

function compositeDefinitions(numbers: Policy['numbers']): Readonly<Record<CompositeName, CompositeDefinition>> {
  const define = ([name, shape]: [string, (typeof SHAPES)[CompositeName]]) => [
    name,
    { ...shape(numbers), calibrated: numbers.thresholds[name as CompositeName].calibrated },
  ];
  return Object.fromEntries(Object.entries(SHAPES).map(define)) as Record<CompositeName, CompositeDefinition>;
}

function featureDefinitions({ windows, features }: Policy['numbers']): Readonly<Record<FeatureKey, Measure>> {
  const overPackets = (unit: string, total: number, meaning: string): Measure => ({
    unit,
    window: 'last_packets',
    windowSeconds: (total * windows.packet_interval_ms) / 1_000,
    meaning,
  });
  const trades = (unit: string, meaning: string) => lastSeconds(unit, windows.trade_ms, meaning);
  const liquidations = (unit: string, meaning: string) => lastSeconds(unit, windows.liquidation_ms, meaning);
  const percentile = Math.round(features.large_trade_quantile * 100);
  return {
    spread_bps: atWindowEnd('basis_points', 'Best ask minus best bid, divided by mid.'),
    visible_depth_imbalance_top1_abs: atWindowEnd('ratio', 'How far visible size leans to one side at the best level, unsigned.'),
    visible_depth_imbalance_top3_abs: atWindowEnd('ratio', 'How far visible size leans to one side over three levels, unsigned.'),
    visible_depth_imbalance_top5_abs: atWindowEnd('ratio', 'How far visible size leans to one side over five levels, unsigned.'),
    recent_trade_count: trades('trades', 'Trades in the window.'),
    trade_imbalance_abs: trades('ratio', 'How far traded size leans to one aggressor side, unsigned.'),
    large_trade_share: trades(
      'share',
      `Share of the traded size from trades at or above the ${percentile}th percentile size of the ` +
        `${windows.trade_size_total} trades before.`,
    ),
    funding_rate_abs: lastContext('fraction_per_hour', 'Size of the newest funding rate, unsigned.'),
    open_interest_context_present: lastContext('flag', '1 if a context event is within its staleness limit, else 0.'),
    liquidation_event_count: liquidations('liquidations', 'Forced closes of positions in the window.'),
    liquidation_notional_usd: liquidations('us_dollars', 'Value of the forced closes of positions.'),
    liquidation_skew_abs: liquidations('ratio', 'How far that value leans to one side, unsigned.'),
    liquidation_pressure_direction: liquidations(
      'sign',
      '-1 with more longs liquidated by value, 1 with more shorts liquidated, 0 with neither.',
    ),
    queue_fragility_score: lastSeconds(
      'score',
      windows.book_ms,
      'How thin, quickly pulled and wide the visible queues are relative to their own session.',
    ),
    freshness_ms: atWindowEnd('milliseconds', "Age of the book in use at the window's end."),
    lineage_price_move_bps_abs: overPackets('basis_points', windows.price_move_packets, 'How far mid has moved in either direction.'),
    lineage_vote_score: overPackets(
      'share',
      windows.vote_packets,
      'Share of the newest packets, this one included, with the same raw winner.',
    ),
    source_resolved_family_total: {
      unit: 'families',
      window: 'sources_at_window_end',
      windowSeconds: null,
      meaning: 'Source families that are resolved.',
    },
  };
}

/** A policy's definitions of the numbers and words in its packets; used by every view. */
export interface Definitions {
  /** Packets of another policy may have used other windows and weights. */
  readonly policyDigest: string;
  readonly numbers: Policy['numbers'];
  readonly features: Readonly<Record<FeatureKey, Measure>>;
  readonly composites: Readonly<Record<CompositeName, CompositeDefinition>>;
  /** Features that need no particular family are omitted. */
  readonly familyOf: ReadonlyMap<string, string>;
  /** In the taxonomy's order; empty for an unknown kind. */
  words(kind: string): readonly string[];
  /** The word itself if the taxonomy has none. */
  label(kind: string, value: string): string;
  /** Empty if the taxonomy has none. */
  meaning(kind: string, value: string): string;
}

export function definitionsOf(policy: Policy): Definitions {
  const term = (kind: string, value: string) => policy.taxonomy.kinds.get(kind)?.get(value);
  return {
    policyDigest: policy.digest,
    numbers: policy.numbers,
    features: featureDefinitions(policy.numbers),
    composites: compositeDefinitions(policy.numbers),
    familyOf: policy.sourceFamilyOf,
    words: (kind) => [...(policy.taxonomy.kinds.get(kind)?.keys() ?? [])],
    label: (kind, value) => term(kind, value)?.label ?? value,
    meaning: (kind, value) => term(kind, value)?.meaning ?? '',
  };
}

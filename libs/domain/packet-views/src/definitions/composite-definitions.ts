import type { CompositeName, FeatureKey, Policy, SourceFamily } from '@market-state/labeler';
import { atWindowEnd, lastContext, lastSeconds, type Measure } from './measure';

/** How a composite score is computed, and what else in a packet is about it. */
export interface CompositeDefinition {
  /** Its formula, in the names of its terms. */
  readonly formula: string;
  /** Terms of the score by name, as in the decision trace. */
  readonly terms: Readonly<Record<string, Measure>>;
  /** Features that it reads, or that are read beside it. */
  readonly features: readonly FeatureKey[];
  /** Source families without which it cannot be read. */
  readonly families: readonly SourceFamily[];
  /** Tag families about it. */
  readonly tagFamilies: readonly string[];
  /** Reason families about it. */
  readonly reasonFamilies: readonly string[];
  /** Whether the symbol's own quantiles replace its thresholds. */
  readonly calibrated: boolean;
}

type Shape = Omit<CompositeDefinition, 'calibrated'>;

function pressure({ minimums, windows }: Policy['numbers']): Shape {
  return {
    formula: 'abs(m180)',
    terms: {
      imb_5: atWindowEnd('ratio', 'Depth imbalance over five levels: positive where bids outweigh asks.'),
      imb_1: atWindowEnd('ratio', 'Depth imbalance at the best level: positive where the bid outweighs the ask.'),
      m180: lastSeconds(
        'ratio',
        windows.state_ms,
        `Mean of imb_5, weighted by the time each book was in force; what is missing of ${minimums.held_ms / 1_000} s counts as balanced.`,
      ),
      held_seconds: lastSeconds('seconds', windows.state_ms, 'Time in which a book was in force.'),
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
        'Traded size of aggressive buyers less that of aggressive sellers, over both.',
      ),
      depth_ratio: lastSeconds(
        'ratio',
        windows.state_ms,
        `Traded size over the mean depth of five levels a side, once each ${depthSeconds} s: size under it weighs less.`,
      ),
      flow_10s: lastSeconds(
        'ratio',
        windows.packet_interval_ms,
        'The same of the last window alone, against the same depth; not in the score.',
      ),
      flow_signed: lastSeconds(
        'score',
        windows.state_ms,
        'trade_imbalance × min(1, depth_ratio), before these are rounded; positive to the buy side.',
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
      thin: againstSession('Depth of five levels a side that is missing against its session median.'),
      churn: lastSeconds(
        'share',
        windows.book_ms,
        'Share of steps between books, best prices unchanged, in which a best size fell by half or more without trades to explain it.',
      ),
      wide: againstSession('How far the spread is over its session median; 1 at five times that.'),
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
      funding_term: lastContext('ratio', `Size of the funding rate over a year against ${year * 100} %, at most 1.`),
      oi_change_1h: lastSeconds(
        'ratio',
        windows.open_interest_ms,
        'Change of open interest against the newest value that is an hour old or more.',
      ),
      open_interest_term: lastSeconds('ratio', windows.open_interest_ms, `Size of that change against ${change * 100} %, at most 1.`),
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
      traded_notional_usd: lastSeconds('us_dollars', windows.notional_ms, 'Value of everything traded.'),
    },
    features: ['liquidation_event_count', 'liquidation_notional_usd', 'liquidation_skew_abs', 'liquidation_pressure_direction'],
    families: ['liquidations'],
    tagFamilies: ['forced_flow'],
    reasonFamilies: ['forced_flow'],
  };
}

function regime({ composites, windows }: Policy['numbers']): Shape {
  const overReturns = (total: number, meaning: string): Measure => ({
    unit: 'log_step_per_10_seconds',
    window: 'last_steps',
    windowSeconds: (total * windows.packet_interval_ms) / 1_000,
    meaning,
  });
  return {
    formula: `min(1, abs(ln(realized_vol_short / realized_vol_session)) / ln(${composites.regime_full_ratio}))`,
    terms: {
      realized_vol_short: overReturns(
        windows.short_return_total,
        `Root mean square of the last ${windows.short_return_total} steps of mid from packet to packet.`,
      ),
      realized_vol_session: overReturns(
        windows.session_return_total,
        `Root mean square of up to ${windows.session_return_total} such steps.`,
      ),
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

/** Every composite score, as a policy makes it. */
export function compositeDefinitions(numbers: Policy['numbers']): Readonly<Record<CompositeName, CompositeDefinition>> {
  const define = ([name, shape]: [string, (typeof SHAPES)[CompositeName]]) => [
    name,
    { ...shape(numbers), calibrated: numbers.thresholds[name as CompositeName].calibrated },
  ];
  return Object.fromEntries(Object.entries(SHAPES).map(define)) as Record<CompositeName, CompositeDefinition>;
}

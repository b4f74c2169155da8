import type { CompositeName, FeatureKey, Policy } from '@market-state/labeler';
import { type CompositeDefinition, compositeDefinitions } from './composite-definitions';
import { type Measure, atWindowEnd, lastContext, lastSeconds } from './measure';

/** Every feature by its key of `driver_strengths`, as a policy measures it. */
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
    spread_bps: atWindowEnd('basis_points', 'Best ask less best bid, over mid.'),
    visible_depth_imbalance_top1_abs: atWindowEnd('ratio', 'How far visible size leans to one side at the best level, without its sign.'),
    visible_depth_imbalance_top3_abs: atWindowEnd('ratio', 'How far visible size leans to one side over three levels, without its sign.'),
    visible_depth_imbalance_top5_abs: atWindowEnd('ratio', 'How far visible size leans to one side over five levels, without its sign.'),
    recent_trade_count: trades('trades', 'Trades in the window.'),
    trade_imbalance_abs: trades('ratio', 'How far traded size leans to one aggressive side, without its sign.'),
    large_trade_share: trades(
      'share',
      `Share of the traded size from trades at or above the ${percentile}th percentile size of the ` +
        `${windows.trade_size_total} trades before.`,
    ),
    funding_rate_abs: lastContext('fraction_per_hour', 'Size of the newest funding rate, without its sign.'),
    open_interest_context_present: lastContext('flag', '1 if a context event is within its staleness limit, else 0.'),
    liquidation_event_count: liquidations('liquidations', 'Forced closes of positions in the window.'),
    liquidation_notional_usd: liquidations('us_dollars', 'Value of the forced closes of positions.'),
    liquidation_skew_abs: liquidations('ratio', 'How far that value leans to one side, without its sign.'),
    liquidation_pressure_direction: liquidations(
      'sign',
      '-1 with more longs liquidated by value, 1 with more shorts liquidated, 0 with neither.',
    ),
    queue_fragility_score: lastSeconds(
      'score',
      windows.book_ms,
      'How thin, quickly pulled and widely spread the visible queues are against their own session.',
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

/** A policy's definitions of the numbers and words in its packets, which every view needs. */
export interface Definitions {
  /** Digest of the policy. A packet of another policy may have had other windows and weights. */
  readonly policyDigest: string;
  readonly numbers: Policy['numbers'];
  readonly features: Readonly<Record<FeatureKey, Measure>>;
  readonly composites: Readonly<Record<CompositeName, CompositeDefinition>>;
  /** Source family by feature; a feature that needs no particular one is left out. */
  readonly familyOf: ReadonlyMap<string, string>;
  /** Every word of a kind, in the taxonomy's order; none of a kind that it does not have. */
  words(kind: string): readonly string[];
  /** The published label of a word; the word itself if the taxonomy has none. */
  label(kind: string, value: string): string;
  /** The meaning of a word; empty if the taxonomy does not have it. */
  meaning(kind: string, value: string): string;
}

/** The definitions of a policy. */
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

/**
 * Features by their `driver_strengths` key, in canonical order. `_abs` keys hold magnitudes; `_bps`, `_ms` and `_usd`
 * name units.
 */
export const FEATURE_KEYS = [
  'spread_bps',
  'visible_depth_imbalance_top1_abs',
  'visible_depth_imbalance_top3_abs',
  'visible_depth_imbalance_top5_abs',
  'recent_trade_count',
  'trade_imbalance_abs',
  'large_trade_share',
  'funding_rate_abs',
  'open_interest_context_present',
  'liquidation_event_count',
  'liquidation_notional_usd',
  'liquidation_skew_abs',
  'liquidation_pressure_direction',
  'queue_fragility_score',
  'freshness_ms',
  'lineage_price_move_bps_abs',
  'lineage_vote_score',
  'source_resolved_family_total',
] as const;
export type FeatureKey = (typeof FEATURE_KEYS)[number];

/** Features by key; null if the source family is missing. */
export type Features = Readonly<Record<FeatureKey, number | null>>;

export const COMPOSITES = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'] as const;
export type CompositeName = (typeof COMPOSITES)[number];

import type { StateName } from '../read';
import type { CompositeName } from '../names';
import type { Channel } from '@market-state/market-data';
import numbersFile from '../../policy/numbers.json';

/** `calibrated`: replaced by the symbol's own quantiles once there are enough samples. */
export interface ThresholdNumbers {
  readonly watch: number;
  readonly elevated: number;
  readonly calibrated: boolean;
}

/**
 * Contents of policy/numbers.json. Names end in their unit (`_ms`, `_usd`, `_bps`) or the thing counted (`_packets`,
 * `_total`); weights, ratios, quantiles and scores have none.
 */
export interface PolicyNumbers {
  readonly version: string;
  readonly windows: Readonly<
    Record<
      | 'packet_interval_ms'
      | 'tick_jump_ms'
      | 'duplicate_ms'
      | 'book_ms'
      | 'trade_ms'
      | 'state_ms'
      | 'liquidation_ms'
      | 'notional_ms'
      | 'quality_ms'
      | 'open_interest_ms'
      | 'trade_size_total'
      | 'session_packets'
      | 'short_return_total'
      | 'session_return_total'
      | 'price_move_packets'
      | 'vote_packets'
      | 'crowding_mean_packets'
      | 'novelty_packets'
      | 'trailing_packets',
      number
    >
  >;
  readonly minimums: Readonly<
    Record<'held_ms' | 'trade_sizes' | 'session_medians' | 'returns' | 'crowding_share_packets' | 'lineage_packets', number>
  >;
  readonly staleness: Readonly<Record<'book_ms' | 'trade_ms' | 'context_ms', number>>;
  readonly features: Readonly<
    Record<
      | 'large_trade_quantile'
      | 'fragility_weight_thin'
      | 'fragility_weight_churn'
      | 'fragility_weight_wide'
      | 'wide_span'
      | 'churn_fall_ratio'
      | 'near_depth_bps',
      number
    >
  >;
  /** In packets. */
  readonly ranges: Readonly<Record<'fast_packets' | 'middle_packets' | 'slow_packets' | 'level_packets' | 'level_start_packets', number>>;
  readonly composites: Readonly<
    Record<
      | 'flow_depth_ms'
      | 'crowding_weight_funding'
      | 'crowding_weight_open_interest'
      | 'hours_per_year'
      | 'funding_full_per_year'
      | 'open_interest_full_change'
      | 'forced_flow_floor_usd'
      | 'forced_flow_traded_share'
      | 'regime_full_ratio',
      number
    >
  >;
  readonly thresholds: Readonly<Record<CompositeName, ThresholdNumbers>>;
  readonly calibration: Readonly<
    Record<
      | 'sample_minimum'
      | 'refresh_ms'
      | 'watch_quantile'
      | 'elevated_quantile'
      | 'clamp_low'
      | 'clamp_high'
      | 'threshold_maximum'
      | 'elevated_gap'
      | 'near_ratio'
      | 'leave_ratio',
      number
    >
  >;
  readonly activity: Readonly<Record<'active_from' | 'scale_maximum', number>>;
  readonly candidates: Readonly<
    Record<
      | 'support_minimum'
      | 'pressure_weight'
      | 'flow_weight'
      | 'flow_shift_weight'
      | 'flow_shift_pressure_discount'
      | 'fragility_weight'
      | 'depth_weight'
      | 'depth_lean_from'
      | 'crowding_full_change'
      | 'crowding_shift_open_from'
      | 'crowding_persistent_open_from'
      | 'regime_weight'
      | 'open_score'
      | 'closed_score'
      | 'floor_score',
      number
    >
  >;
  /** A state has crossed a threshold if one of these composites has. */
  readonly state_composites: Readonly<Record<StateName, readonly CompositeName[]>>;
  readonly dwell: Readonly<Record<'packets' | 'held_packets', number>>;
  readonly session_state: Readonly<Record<'packets' | 'minimum_packets' | 'lead_packets', number>>;
  readonly diagnosis: Readonly<Record<'contested_contradiction' | 'active_margin', number>>;
  readonly event_class: Readonly<Record<'absorption_move_bps' | 'absorption_move_spreads' | 'absorption_hold_factor', number>>;
  readonly severity: Readonly<
    Record<
      | 'movement_weight'
      | 'thin_weight'
      | 'newest_weight'
      | 'fast_weight'
      | 'middle_weight'
      | 'slow_weight'
      | 'level_multiple'
      | 'movement_basis_from'
      | 'thin_basis_from'
      | 'elevated_from'
      | 'high_from'
      | 'critical_from',
      number
    >
  >;
  readonly contradiction: Readonly<Record<'flow_weight' | 'liquidation_weight' | 'support_weight', number>>;
  readonly confidence: Readonly<
    Record<
      | 'base'
      | 'margin_weight'
      | 'margin_full'
      | 'sample_weight'
      | 'sample_full'
      | 'fresh_weight'
      | 'fresh_full_ms'
      | 'evidence_weight'
      | 'evidence_book_weight'
      | 'evidence_trade_weight'
      | 'evidence_full_books'
      | 'evidence_full_trades'
      | 'medium_from'
      | 'high_from',
      number
    >
  >;
  readonly quality: Readonly<Record<'gap_weight' | 'gap_full_seconds' | 'strong_from' | 'usable_from', number>>;
  readonly lanes: Readonly<
    Record<
      | 'short_window_packets'
      | 'session_every_ms'
      | 'session_lag_ms'
      | 'session_packets'
      | 'session_full_packets'
      | 'history_every_ms'
      | 'history_lag_ms'
      | 'history_blocks'
      | 'history_full_packets'
      | 'event_packets',
      number
    >
  >;
  readonly public_channels: Readonly<Record<string, readonly Channel[]>>;
}

export const POLICY_NUMBERS = numbersFile as PolicyNumbers;

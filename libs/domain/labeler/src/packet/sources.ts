import type { Policy } from '../policy/policy';
import { type FeatureKey, FEATURE_KEYS } from '../names';
import { SOURCE_FAMILIES, type MarketRead, type SourceFamily, type SourceVerdict, type SourceRead, type PacketRead } from '../read';

export function familiesOf(read: MarketRead, status: SourceRead['status'], reason?: string): readonly SourceFamily[] {
  return read.sources
    .filter((source) => source.status === status && (reason === undefined || source.reason === reason))
    .map((source) => source.family);
}

function unavailableFeatures(read: MarketRead, family: SourceFamily, policy: Policy): readonly FeatureKey[] {
  return FEATURE_KEYS.filter((key) => read.features[key] === null && policy.sourceFamilyOf.get(key) === family);
}

/** Source family at T. `age_ms`: T minus the exchange time of its last event; null if there was none. */
type SourceStatus = SourceVerdict & {
  readonly age_ms: number | null;
  readonly unavailable_features?: readonly FeatureKey[];
};
export type SourceStatusByFamily = Readonly<Record<SourceFamily, SourceStatus>>;

interface SourceGap {
  readonly gap_id: string;
  readonly channel: string;
  readonly start_utc: string;
  /** Null while the gap is open. */
  readonly end_utc: string | null;
  readonly reason: string;
}

export interface SourceResolution {
  readonly missing_families: readonly SourceFamily[];
  readonly source_family_total: number;
  /** Gaps and seams behind `packet_quality.gap_flags`, by gap ledger id. */
  readonly gaps: readonly SourceGap[];
  readonly late_event_total: number;
  /** Ratios with a zero denominator, counted as 0. */
  readonly not_available: readonly string[];
}

export interface SourceSupport {
  readonly resolved_families: readonly SourceFamily[];
  readonly partial_families: readonly SourceFamily[];
  readonly resolved_family_total: number;
  readonly partial_family_total: number;
  readonly source_support_ratio: number;
}

export function sourceStatus(read: MarketRead, policy: Policy): SourceStatusByFamily {
  const entries = read.sources.map(({ family, ageMs, ...verdict }): readonly [SourceFamily, SourceStatus] => {
    const unavailable = unavailableFeatures(read, family, policy);
    return [family, { ...verdict, age_ms: ageMs, ...(unavailable.length === 0 ? {} : { unavailable_features: unavailable }) }];
  });
  return Object.fromEntries(entries) as Record<SourceFamily, SourceStatus>;
}

export function sourceResolution(read: MarketRead): SourceResolution {
  return {
    missing_families: familiesOf(read, 'missing'),
    source_family_total: SOURCE_FAMILIES.length,
    gaps: read.gaps.map((gap) => ({
      gap_id: gap.gapId,
      channel: gap.channel,
      start_utc: utc(gap.startMs),
      end_utc: gap.endMs === 0 ? null : utc(gap.endMs),
      reason: gap.reason,
    })),
    late_event_total: read.lateEventTotal,
    not_available: read.notAvailable,
  };
}

export function sourceSupport(read: MarketRead): SourceSupport {
  const resolved = familiesOf(read, 'resolved');
  const partial = familiesOf(read, 'partial');
  return {
    resolved_families: resolved,
    partial_families: partial,
    resolved_family_total: resolved.length,
    partial_family_total: partial.length,
    source_support_ratio: read.sourceSupportRatio,
  };
}

export function utc(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export interface PacketScope {
  readonly symbol: string;
  readonly venue: string;
  readonly market_type: 'perpetual_contract';
  readonly source_kind: string;
  readonly packet_time_policy: 'source_window_end';
  readonly window_start_utc: string;
  readonly window_end_utc: string;
  readonly window_seconds: number;
}

/** Quotes of the book in use, for orientation; null without a book. Prices are decimal strings. */
export interface ReferencePrices {
  readonly mid_price: number | null;
  readonly best_bid: string | null;
  readonly best_ask: string | null;
}

export interface PacketReplay {
  readonly cursor: string;
  readonly status: 'ready';
}

export function packetScope(read: PacketRead, policy: Policy): PacketScope {
  const { packet_interval_ms: windowMs } = policy.numbers.windows;
  return {
    symbol: read.symbol,
    venue: read.venue,
    market_type: 'perpetual_contract',
    source_kind: read.sourceKind,
    packet_time_policy: 'source_window_end',
    window_start_utc: utc(read.windowEndMs - windowMs),
    window_end_utc: utc(read.windowEndMs),
    window_seconds: windowMs / 1000,
  };
}

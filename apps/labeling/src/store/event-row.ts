import type { SourceKind } from '@market-state/market-data';
import type { EventRecord } from '../events/event';

/** Columns of table `event` that make up an event. */
export const EVENT_COLUMNS = [
  'symbol',
  'window_end_ms',
  'sequence',
  'event_id',
  'known_ts_ms',
  'state',
  'winner_state',
  'event_class',
  'event_profile',
  'severity_class',
  'severity_score',
  'transition_type',
  'diagnosis_class',
  'confidence_score',
  'confidence_label',
  'contradiction_score',
  'novelty_score',
  'quality_score',
  'gap_flags',
  'state_age_packets',
  'tags',
  'near_threshold',
  'source_kind',
  'mid_price',
  'state_label',
  'runner_up_state',
  'state_margin',
] as const;

type Name = (typeof EVENT_COLUMNS)[number];
type BigColumn = Extract<Name, 'window_end_ms' | 'sequence' | 'known_ts_ms'>;
type NumberColumn = Extract<Name, `${string}_score` | 'state_age_packets' | 'state_margin'>;
type ListColumn = Extract<Name, 'gap_flags' | 'tags'>;
type TextColumn = Exclude<Name, BigColumn | NumberColumn | ListColumn | 'near_threshold' | 'source_kind' | 'mid_price'>;

/** A row as the driver gives it. */
export type EventRow = Readonly<Record<BigColumn | TextColumn, string>> &
  Readonly<Record<NumberColumn, number>> &
  Readonly<Record<ListColumn, string[]>> & {
    readonly near_threshold: boolean;
    readonly source_kind: SourceKind;
    readonly mid_price: number | null;
  };

export function fromEventRow(row: EventRow): EventRecord {
  return {
    symbol: row.symbol,
    windowEndMs: Number(row.window_end_ms),
    sequence: Number(row.sequence),
    eventId: row.event_id,
    knownTsMs: Number(row.known_ts_ms),
    state: row.state,
    winnerState: row.winner_state,
    eventClass: row.event_class,
    eventProfile: row.event_profile,
    severityClass: row.severity_class,
    severityScore: row.severity_score,
    transitionType: row.transition_type,
    diagnosisClass: row.diagnosis_class,
    confidenceScore: row.confidence_score,
    confidenceLabel: row.confidence_label,
    contradictionScore: row.contradiction_score,
    noveltyScore: row.novelty_score,
    qualityScore: row.quality_score,
    gapFlags: row.gap_flags,
    stateAgePackets: row.state_age_packets,
    tags: row.tags,
    nearThreshold: row.near_threshold,
    sourceKind: row.source_kind,
    midPrice: row.mid_price ?? undefined,
    stateLabel: row.state_label,
    runnerUpState: row.runner_up_state,
    stateMargin: row.state_margin,
  };
}

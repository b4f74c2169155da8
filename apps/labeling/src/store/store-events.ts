import type { SourceKind } from '@market-state/market-data';
import type { Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import { type BodyColumns, fromBodyColumns } from './packet-row';
import { readRows } from './reading';
import type { EventRecord } from '../events/event-index';

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

const COLUMNS = [...EVENT_COLUMNS, 'words'];

/** Sources of event columns that are not in the packet's body; the others come from `event_facts`. */
const AROUND: Readonly<Record<string, string>> = {
  symbol: 'packet.symbol',
  window_end_ms: 'packet.window_end_ms',
  sequence: 'packet.sequence',
  event_id: 'packet.event_id',
  known_ts_ms: 'packet.known_ts_ms',
  source_kind: 'packet.source_kind',
};

/**
 * Inserts events from records of table `packet` with text bodies. `OFFSET 0` makes the planner parse each body once
 * instead of once per column.
 */
const ENTER = `INSERT INTO event (${COLUMNS.join(', ')})
  SELECT ${COLUMNS.map((column) => AROUND[column] ?? `facts.${column}`).join(', ')}
  FROM jsonb_populate_recordset(NULL::packet, $1::jsonb) AS packet
    CROSS JOIN LATERAL (SELECT packet.body::jsonb AS body OFFSET 0) AS parsed CROSS JOIN LATERAL event_facts(parsed.body) AS facts
  ON CONFLICT DO NOTHING`;

export const EVENT_SOURCE_COLUMNS = ['symbol', 'window_end_ms', 'sequence', 'event_id', 'known_ts_ms', 'source_kind', 'body'] as const;

export type EventSource = Readonly<Record<(typeof EVENT_SOURCE_COLUMNS)[number], unknown>>;

export async function storeEvents(on: Queryable, packets: readonly EventSource[]): Promise<void> {
  if (packets.length > 0) await on.query(ENTER, [JSON.stringify(packets)]);
}

const PACKETS_MAX = 40;

const NEWER = `SELECT newer.* FROM unnest($1::text[]) AS asked (symbol) CROSS JOIN LATERAL (
  SELECT ${EVENT_SOURCE_COLUMNS.join(', ')}, packed_body FROM packet WHERE packet.symbol = asked.symbol
    AND window_end_ms > coalesce((SELECT max(window_end_ms) FROM event WHERE event.symbol = asked.symbol), 0)
  ORDER BY window_end_ms LIMIT ${PACKETS_MAX}) AS newer`;

/**
 * Indexes packets newer than each symbol's newest event; packets are stored in window order. Symbols are processed in
 * one order, so that concurrent processes do not deadlock.
 */
export async function enterEvents(pool: Pool, symbols: readonly string[]): Promise<void> {
  for (let entered = PACKETS_MAX; entered >= PACKETS_MAX; ) {
    const rows = await readRows<Omit<EventSource, 'body'> & BodyColumns>(pool, NEWER, [[...symbols].sort()]);
    await storeEvents(
      pool,
      rows.map(({ packed_body, ...row }) => ({ ...row, body: fromBodyColumns({ body: row.body, packed_body }) })),
    );
    entered = rows.length;
  }
}

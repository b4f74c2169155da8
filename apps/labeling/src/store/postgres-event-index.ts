import { WINDOW_MS } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { StoredLabel } from '@market-state/report';
import {
  type EventFilter,
  type EventPosition,
  type EventRecord,
  type EventIndex,
  type Stability,
  type StabilityWindow,
  type PacketHour,
  type PacketHours,
  type PacketHoursFilter,
  type StoredPackets,
  FEEDBACK_LABELS,
  type FeedbackLabel,
  NO_FEEDBACK,
} from '../events/event-index';
import { EVENT_COLUMNS, type EventRow, fromEventRow } from './store-events';
import { readRows } from './reading';
import { HOUR_MS, fromTotalsRow, totalsOf, type TotalsRow } from './archive-files';

interface Conditions {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Words, tags and values become one query of one index. */
function conditionsOf(filter: EventFilter): Conditions {
  const { symbol, fromMs, toMs, asOfMs } = filter;
  const lexemes = lexemesOf(filter);
  const wanted: readonly (readonly [condition: string, value: unknown])[] = [
    ['symbol =', symbol],
    ['window_end_ms >=', fromMs],
    ['window_end_ms <', toMs],
    // A packet is known only after its window ends; the second condition uses the index.
    ['known_ts_ms <=', asOfMs],
    ['window_end_ms <=', asOfMs],
    ['words @@', lexemes.length === 0 ? null : lexemes.map(quoted).join(' & ')],
  ];
  const given = wanted.filter(([, value]) => value !== null);
  const parts = given.map(([condition], index) => `${condition} $${index + 1}${condition === 'words @@' ? '::tsquery' : ''}`);
  return { text: parts.length === 0 ? 'true' : parts.join(' AND '), values: given.map(([, value]) => value) };
}

function lexemesOf({ words, tags, values }: EventFilter): string[] {
  return [...words, ...tags, ...Object.entries(values).map(([column, value]) => `${column}=${value}`)];
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function eventAt(direction: 'ASC' | 'DESC'): string {
  return `SELECT window_end_ms, sequence FROM event WHERE symbol = asked.symbol AND ${KEPT}
    AND ($2::bigint IS NULL OR (window_end_ms <= $2 AND known_ts_ms <= $2)) ORDER BY window_end_ms ${direction} LIMIT 1`;
}

interface HourRow {
  readonly hour_ms: string;
  readonly row_total: string;
  readonly object_key: string | null;
  readonly sha256: string | null;
  readonly byte_total: string | null;
}

/** Excludes packets whose file is being deleted: SQL condition on table `event`. */
const KEPT = `NOT EXISTS (SELECT FROM archive_file WHERE archive_file.symbol = event.symbol AND channel = 'packets'
  AND hour_ms = window_end_ms / ${HOUR_MS} * ${HOUR_MS} AND state = 'ending')`;

async function readPacketHours(pool: Pool, filter: PacketHoursFilter): Promise<PacketHours> {
  const { text, values } = conditionsOf({ ...filter, words: [], tags: [], values: {} });
  const rows = await readRows<HourRow>(
    pool,
    `SELECT counted.hour_ms, counted.row_total, object_key, sha256, byte_total
     FROM (SELECT symbol, window_end_ms / ${HOUR_MS} * ${HOUR_MS} AS hour_ms, count(*) AS row_total FROM event WHERE ${text} GROUP BY 1, 2)
       AS counted
     LEFT JOIN archive_file AS file ON file.symbol = counted.symbol AND channel = 'packets' AND file.hour_ms = counted.hour_ms
     WHERE file.state IS DISTINCT FROM 'ending' ORDER BY 1`,
    [...values],
  );
  return { hours: rows.map(toHour), keptFromMs: await readStoredFrom(pool, filter.symbol) };
}

async function readStoredFrom(pool: Pool, symbol: string): Promise<number | undefined> {
  const [row] = await readRows<{ window_end_ms: string }>(
    pool,
    `SELECT window_end_ms FROM event WHERE symbol = $1 AND ${KEPT} ORDER BY window_end_ms LIMIT 1`,
    [symbol],
  );
  return row === undefined ? undefined : Number(row.window_end_ms);
}

function toHour({ hour_ms: hourMs, row_total: rowTotal, object_key: key, sha256, byte_total: bytes }: HourRow): PacketHour {
  const file = key === null || sha256 === null ? undefined : { key, sha256, bytes: Number(bytes ?? 0) };
  return { hourMs: Number(hourMs), rowTotal: Number(rowTotal), file };
}

// Sequences are consecutive, so no counting is needed. Hours whose windows all ended by a time end at most a
// millisecond later.
const HELD = {
  name: 'held-packets',
  text: `
    SELECT asked.symbol, earliest.window_end_ms AS first_ms, latest.window_end_ms AS last_ms,
      latest.sequence - earliest.sequence + 1 AS packet_total, archive.*
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (symbol, place)
    LEFT JOIN LATERAL (${eventAt('ASC')}) AS earliest ON true
    LEFT JOIN LATERAL (${eventAt('DESC')}) AS latest ON true
    CROSS JOIN LATERAL (${totalsOf('asked.symbol', "'packets'", '($2::bigint + 1)')}) AS archive
    ORDER BY asked.place`,
};

type StoredPacketsRow = TotalsRow & Readonly<Record<'first_ms' | 'last_ms' | 'packet_total', string | null>> & { readonly symbol: string };

async function readStoredPackets(pool: Pool, symbols: readonly string[], asOfMs: number | null): Promise<StoredPackets[]> {
  const rows = await readRows<StoredPacketsRow>(pool, HELD, [symbols, asOfMs]);
  return rows.map((row) => ({
    symbol: row.symbol,
    firstMs: toNumber(row.first_ms),
    lastMs: toNumber(row.last_ms),
    total: toNumber(row.packet_total) ?? 0,
    archive: fromTotalsRow(row),
  }));
}

function toNumber(value: string | null): number | undefined {
  return value === null ? undefined : Number(value);
}

const SECONDS = WINDOW_MS / 1_000;

/** Packets with their adjacent windows' states and their run. Reads only one index. */
function packetsInRuns(conditions: string): string {
  return `
    seen AS (
      SELECT symbol, window_end_ms, state, near_threshold,
        CASE WHEN lag(window_end_ms) OVER chain = window_end_ms - ${WINDOW_MS} THEN lag(state) OVER chain END AS state_before,
        CASE WHEN lead(window_end_ms) OVER chain = window_end_ms + ${WINDOW_MS} THEN lead(state) OVER chain END AS state_after
      FROM event WHERE ${conditions} WINDOW chain AS (PARTITION BY symbol ORDER BY window_end_ms)),
    run AS (
      SELECT *, count(*) FILTER (WHERE state_before IS DISTINCT FROM state) OVER (PARTITION BY symbol ORDER BY window_end_ms) AS run
        FROM seen),
    span AS (
      SELECT state, count(*) AS packets, bool_or(state_before <> state) AND bool_or(state_after <> state) AS is_whole,
        count(*) FILTER (WHERE near_threshold) AS near, count(*) FILTER (WHERE state_after <> state) AS exits,
        count(state_after) AS followed
      FROM run GROUP BY symbol, run, state)`;
}

function statement(conditions: string): string {
  return `WITH ${packetsInRuns(conditions)},
    follower AS (SELECT state, state_after, count(*) AS total FROM seen WHERE state_after IS NOT NULL GROUP BY 1, 2)
    SELECT state, sum(packets)::float8 AS packets, count(*)::float8 AS spans, (count(*) FILTER (WHERE is_whole))::float8 AS whole_spans,
      (${SECONDS} * avg(packets) FILTER (WHERE is_whole))::float8 AS mean_s,
      ${SECONDS} * percentile_cont(0.5) WITHIN GROUP (ORDER BY packets) FILTER (WHERE is_whole) AS median_s,
      max(packets)::float8 AS longest, sum(near)::float8 AS near, sum(exits)::float8 AS exits, sum(followed)::float8 AS followed,
      (SELECT coalesce(json_agg(json_build_object('toState', state_after, 'total', total) ORDER BY total DESC, state_after), '[]')
      FROM follower WHERE follower.state = span.state) AS transitions
    FROM span GROUP BY state ORDER BY packets DESC, state`;
}

type StateRow = Readonly<Record<'packets' | 'spans' | 'whole_spans' | 'longest' | 'near' | 'exits' | 'followed', number>> & {
  readonly state: string;
  readonly mean_s: number | null;
  readonly median_s: number | null;
  readonly transitions: readonly { readonly toState: string; readonly total: number }[];
};

type FeedbackRow = { readonly state: string; readonly label: FeedbackLabel; readonly total: number };

const FEEDBACK = {
  name: 'stability-feedback',
  text: `SELECT state, label, count(*)::float8 AS total FROM event_feedback
    WHERE ($1::text IS NULL OR symbol = $1) AND ($2::bigint IS NULL OR window_end_ms >= $2)
      AND ($3::bigint IS NULL OR window_end_ms < $3)
      AND ($4::bigint IS NULL OR recorded_ts_ms <= $4) GROUP BY 1, 2`,
};

function nameOf(conditions: readonly unknown[]): string {
  return `stability-${conditions.map((condition) => (condition === null ? 0 : 1)).join('')}`;
}

async function readStability(pool: Pool, { symbol, fromMs, toMs, asOfMs }: StabilityWindow): Promise<Stability> {
  const { text, values } = conditionsOf({ symbol, fromMs, toMs, asOfMs, words: [], tags: [], values: {} });
  const [rows, judged] = await Promise.all([
    readRows<StateRow>(pool, { name: nameOf([symbol, fromMs, toMs, asOfMs]), text: statement(text) }, [...values]),
    readRows<FeedbackRow>(pool, FEEDBACK, [symbol, fromMs, toMs, asOfMs]),
  ]);
  const totalOf = (state: string, label: FeedbackLabel): number =>
    judged.find((row) => row.state === state && row.label === label)?.total ?? 0;
  return {
    packetTotal: rows.reduce((sum, { packets }) => sum + packets, 0),
    pairTotal: rows.reduce((sum, { followed }) => sum + followed, 0),
    states: rows.map((row) => ({
      state: row.state,
      packetTotal: row.packets,
      spanTotal: row.spans,
      wholeSpanTotal: row.whole_spans,
      dwellMeanS: row.mean_s,
      dwellMedianS: row.median_s,
      dwellLongestS: row.longest * SECONDS,
      exitTotal: row.exits,
      nearThresholdTotal: row.near,
      transitions: row.transitions,
      feedback: { ...NO_FEEDBACK, ...Object.fromEntries(FEEDBACK_LABELS.map((label) => [label, totalOf(row.state, label)])) },
    })),
  };
}

async function readLabels(pool: Pool, window: StabilityWindow, count: number): Promise<StoredLabel[]> {
  const { text, values } = conditionsOf({ ...window, words: [], tags: [], values: {} });
  const rows = await readRows<StoredLabel>(
    pool,
    `SELECT window_end_ms::float8 AS "windowEndMs", state, winner_state AS winner, severity_score AS severity,
      severity_class AS "severityClass", mid_price AS mid
    FROM event WHERE ${text} ORDER BY window_end_ms DESC LIMIT $${values.length + 1}`,
    [...values, count],
  );
  return rows.reverse();
}

const COLUMNS = EVENT_COLUMNS.join(', ');

const ORDERS = {
  oldest_first: { beyond: '>', direction: 'ASC' },
  newest_first: { beyond: '<', direction: 'DESC' },
} as const;

/** Span that a search by words, tags or values scans first. */
const NEAR_MS = 2 * 86_400_000;

export function createPostgresEventIndex(pool: Pool): EventIndex {
  /** @param byWords forces the word index */
  async function read(
    filter: EventFilter,
    order: keyof typeof ORDERS,
    beyond: EventPosition | null,
    count: number,
    byWords: boolean,
  ): Promise<EventRecord[]> {
    const { text, values } = conditionsOf(filter);
    const { beyond: comparison, direction } = ORDERS[order];
    const place = beyond === null ? [] : [beyond.windowEndMs, beyond.symbol];
    const from = values.length;
    const after = beyond === null ? '' : ` AND (window_end_ms, symbol) ${comparison} ($${from + 1}, $${from + 2})`;
    const rows = await readRows<EventRow>(
      pool,
      `SELECT ${COLUMNS} FROM event WHERE ${text}${after} ORDER BY window_end_ms${byWords ? ' + 0' : ''} ${direction},
        symbol ${direction} LIMIT $${from + place.length + 1}`,
      [...values, ...place, count],
    );
    return rows.map(fromEventRow);
  }

  async function newestMs({ symbol, toMs, asOfMs }: EventFilter, beyond: EventPosition | null): Promise<number> {
    const bounds = [beyond?.windowEndMs, toMs, asOfMs].filter((bound) => typeof bound === 'number');
    const [row] = await readRows<{ newest: string | null }>(
      pool,
      'SELECT max(window_end_ms) AS newest FROM event WHERE ($1::text IS NULL OR symbol = $1) AND ($2::bigint IS NULL OR window_end_ms <= $2)',
      [symbol, bounds.length === 0 ? null : Math.min(...bounds)],
    );
    return Number(row?.newest ?? 0);
  }

  return {
    async list(filter, order, beyond, count) {
      const isSearch = filter.words.length + filter.tags.length + Object.keys(filter.values).length > 0;
      if (order === 'oldest_first' || !isSearch) return read(filter, order, beyond, count, false);
      // Common matches fill a page near the newest window. Rare ones need the word index, which the planner avoids
      // because it overestimates rare words, scanning every event instead.
      const near = { ...filter, fromMs: Math.max(filter.fromMs ?? 0, (await newestMs(filter, beyond)) - NEAR_MS) };
      const found = await read(near, order, beyond, count, false);
      return found.length === count ? found : read(filter, order, beyond, count, true);
    },
    stability: (window) => readStability(pool, window),
    labels: (window, count) => readLabels(pool, window, count),
    hours: (span) => readPacketHours(pool, span),
    held: (symbols, asOfMs) => readStoredPackets(pool, symbols, asOfMs),
  };
}

import { WINDOW_MS } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { StoredLabel } from '@market-state/report';
import type { EventFilter, EventPosition, EventRecord } from '../events/event';
import type { EventIndex, Stability, StabilityWindow } from '../events/event-index';
import { conditionsOf, readStoredPackets, readPacketHours } from './read-packet-hours';
import { EVENT_COLUMNS, type EventRow, fromEventRow } from './store-events';
import { readRows } from './reading';
import { FEEDBACK_LABELS, type FeedbackLabel, NO_FEEDBACK } from '../feedback/feedback';

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

import type { Pool } from 'pg';
import type { EventFilter, EventPlace, EventRecord } from '../events/event';
import type { EventIndex } from '../events/event-index';
import { conditionsOf } from './event-conditions';
import { EVENT_COLUMNS, type EventRow, fromEventRow } from './event-row';
import { readHeldPackets } from './read-held-packets';
import { readPacketHours } from './read-packet-hours';
import { readRows } from './reading';
import { readStability } from './read-stability';

const COLUMNS = EVENT_COLUMNS.join(', ');

const ORDERS = {
  oldest_first: { beyond: '>', direction: 'ASC' },
  newest_first: { beyond: '<', direction: 'DESC' },
} as const;

/** What a search by words, tags or values walks through first, milliseconds of windows. */
const NEAR_MS = 2 * 86_400_000;

/** The index of events in Postgres. Failures that pass by themselves become UNAVAILABLE. */
export function createPostgresEventIndex(pool: Pool): EventIndex {
  /** @param byWords read the index of words, whatever the planner takes for cheaper */
  async function read(
    filter: EventFilter,
    order: keyof typeof ORDERS,
    beyond: EventPlace | null,
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

  /** The newest window that a search may speak of; 0 where there is none. */
  async function newestMs({ symbol, toMs, asOfMs }: EventFilter, beyond: EventPlace | null): Promise<number> {
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
      // What fills a page is found near the newest window, in order. What is rarer there is looked up in the index of words: the planner,
      // which takes a rare word for a commoner one, would walk through every event.
      const near = { ...filter, fromMs: Math.max(filter.fromMs ?? 0, (await newestMs(filter, beyond)) - NEAR_MS) };
      const found = await read(near, order, beyond, count, false);
      return found.length === count ? found : read(filter, order, beyond, count, true);
    },
    stability: (window) => readStability(pool, window),
    hours: (span) => readPacketHours(pool, span),
    held: (symbols, asOfMs) => readHeldPackets(pool, symbols, asOfMs),
  };
}

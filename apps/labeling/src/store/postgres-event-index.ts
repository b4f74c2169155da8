import type { Pool } from 'pg';
import type { EventIndex } from '../events/event-index';
import { conditionsOf } from './event-conditions';
import { EVENT_COLUMNS, type EventRow, fromEventRow } from './event-row';
import { readRows } from './reading';
import { readStability } from './read-stability';

const COLUMNS = EVENT_COLUMNS.join(', ');

const ORDERS = {
  oldest_first: { beyond: '>', direction: 'ASC' },
  newest_first: { beyond: '<', direction: 'DESC' },
} as const;

/** The index of events in Postgres. Failures that pass by themselves become UNAVAILABLE. */
export function createPostgresEventIndex(pool: Pool): EventIndex {
  return {
    async list(filter, order, beyond, count) {
      const { text, values } = conditionsOf(filter);
      const { beyond: comparison, direction } = ORDERS[order];
      const place = beyond === null ? [] : [beyond.windowEndMs, beyond.symbol];
      const from = values.length;
      const after = beyond === null ? '' : ` AND (window_end_ms, symbol) ${comparison} ($${from + 1}, $${from + 2})`;
      const rows = await readRows<EventRow>(
        pool,
        `SELECT ${COLUMNS} FROM event WHERE ${text}${after} ORDER BY window_end_ms ${direction}, symbol ${direction} LIMIT $${from + place.length + 1}`,
        [...values, ...place, count],
      );
      return rows.map(fromEventRow);
    },
    stability: (window) => readStability(pool, window),
  };
}

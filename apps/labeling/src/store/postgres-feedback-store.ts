import { unavailable } from '@market-state/errors';
import { inTransaction, isTransientDatabaseError } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import {
  FEEDBACK_LABELS,
  type Agreement,
  type FeedbackLabel,
  type FeedbackStore,
  type FeedbackTotals,
  type Judgement,
} from '../events/event-index';

interface EventFacts {
  readonly symbol: string;
  readonly window_end_ms: string;
  readonly state: string;
  readonly event_class: string;
}

export function createPostgresFeedbackStore(pool: Pool): FeedbackStore {
  return {
    async record(judgement) {
      try {
        return await inTransaction(pool, (client) => record(client, judgement));
      } catch (error) {
        if (!isTransientDatabaseError(error)) throw error;
        throw unavailable('upstream_unavailable', 'Stored data cannot be changed at the moment.', { cause: error });
      }
    },
  };
}

async function record(client: PoolClient, { tenantId, eventId, label, note, recordedTsMs }: Judgement): Promise<Agreement | undefined> {
  const { rows } = await client.query<EventFacts>('SELECT symbol, window_end_ms, state, event_class FROM event WHERE event_id = $1', [
    eventId,
  ]);
  const [event] = rows;
  if (event === undefined) return undefined;
  const { rows: written } = await client.query<{ replaced: boolean }>(
    `INSERT INTO event_feedback (event_id, tenant_id, symbol, window_end_ms, state, event_class, label, note, recorded_ts_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (event_id, tenant_id) DO UPDATE SET label = EXCLUDED.label, note = EXCLUDED.note, recorded_ts_ms = EXCLUDED.recorded_ts_ms
     RETURNING xmax <> 0 AS replaced`,
    [eventId, tenantId, event.symbol, event.window_end_ms, event.state, event.event_class, label, note, recordedTsMs],
  );
  return {
    symbol: event.symbol,
    windowEndMs: Number(event.window_end_ms),
    state: event.state,
    eventClass: event.event_class,
    replaced: written[0]?.replaced === true,
    onEvent: await totals(client, 'event_id', eventId),
    onState: await totals(client, 'state', event.state),
    onEventClass: await totals(client, 'event_class', event.event_class),
  };
}

async function totals(client: PoolClient, column: 'event_id' | 'state' | 'event_class', value: string): Promise<FeedbackTotals> {
  const { rows } = await client.query<{ label: FeedbackLabel; total: number }>(
    `SELECT label, count(*)::float8 AS total FROM event_feedback WHERE ${column} = $1 GROUP BY label`,
    [value],
  );
  const counted = new Map(rows.map(({ label, total }) => [label, total]));
  return Object.fromEntries(FEEDBACK_LABELS.map((label) => [label, counted.get(label) ?? 0])) as Record<FeedbackLabel, number>;
}

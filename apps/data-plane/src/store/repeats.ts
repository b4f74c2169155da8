import { channelOf } from '@market-state/market-data';
import type { PoolClient } from 'pg';
import type { RecordedEntry } from './log-entry-row';

/** Entries that may repeat another: those to which the venue gave an id. */
const STORED = `
  SELECT asked.place::int AS place FROM unnest($2::text[], $3::int[], $4::text[], $5::bigint[])
    WITH ORDINALITY AS asked(channel, pass, venue_id, exchange_ts_ms, place)
  WHERE EXISTS (
    SELECT FROM log_entry AS row
    WHERE row.symbol = $1 AND row.channel = asked.channel AND row.pass = asked.pass AND row.venue_id = asked.venue_id
      AND row.exchange_ts_ms = asked.exchange_ts_ms
  )`;

/** Ordinals of the entries that repeat a stored row, or an entry before them: same channel, pass, venue id and exchange time. */
export async function findRepeats(client: PoolClient, symbol: string, entries: readonly RecordedEntry[]): Promise<Set<number>> {
  const named = entries.filter(({ event }) => event.venueId !== '');
  const { rows } = await client.query<{ place: number }>(STORED, [
    symbol,
    named.map(({ event }) => channelOf(event)),
    named.map(({ event }) => event.pass),
    named.map(({ event }) => event.venueId),
    named.map(({ event }) => event.exchangeTsMs),
  ]);
  const repeats = new Set(rows.flatMap(({ place }) => named[place - 1]?.entry.ordinal ?? []));
  const seen = new Set<string>();
  for (const { entry, event } of named) {
    const identity = JSON.stringify([channelOf(event), event.pass, event.venueId, event.exchangeTsMs]);
    if (seen.has(identity)) repeats.add(entry.ordinal);
    seen.add(identity);
  }
  return repeats;
}

import type { Pool } from 'pg';
import type { HeldPackets } from '../events/held-packets';
import { fromTotalsRow, totalsOf, type TotalsRow } from './archive-totals';
import { KEPT } from './read-packet-hours';
import { readRows } from './reading';

/** The first event of a symbol in an order, known at an instant. */
function eventAt(direction: 'ASC' | 'DESC'): string {
  return `SELECT window_end_ms, sequence FROM event WHERE symbol = asked.symbol AND ${KEPT}
    AND ($2::bigint IS NULL OR (window_end_ms <= $2 AND known_ts_ms <= $2)) ORDER BY window_end_ms ${direction} LIMIT 1`;
}

// Sequences rise by 1: nothing is counted. An hour of which every window had ended at an instant ends at most a millisecond later.
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

type HeldRow = TotalsRow & Readonly<Record<'first_ms' | 'last_ms' | 'packet_total', string | null>> & { readonly symbol: string };

/** What is kept of the packets of these symbols, in their order, from the index alone. @param asOfMs what was known by then; null: now */
export async function readHeldPackets(pool: Pool, symbols: readonly string[], asOfMs: number | null): Promise<HeldPackets[]> {
  const rows = await readRows<HeldRow>(pool, HELD, [symbols, asOfMs]);
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

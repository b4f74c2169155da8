import type { Logger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { LeaseStore } from '../feed/leases';

/** Timeout for connecting and per statement: a later response proves nothing about the lease. */
const ANSWER_MS = 1_500;

interface PostgresLeaseStore extends LeaseStore {
  close(): Promise<void>;
}

/** Uses only the database's clock, so that feed clocks need not agree. Takes no locks on leases held by others. */
const TAKE = `
WITH wanted AS (
  SELECT symbol, above FROM unnest($1::text[], $4::bigint[]) AS asked (symbol, above)
  WHERE NOT EXISTS (
    SELECT FROM feed_lease AS lease
    WHERE lease.symbol = asked.symbol AND lease.holder IS NOT NULL
      AND lease.renewed_at >= clock_timestamp() - $3 * interval '1 millisecond'
  )
)
INSERT INTO feed_lease AS lease (symbol, fence, holder, renewed_at)
SELECT symbol, above + 1, $2, clock_timestamp() FROM wanted ORDER BY symbol
ON CONFLICT (symbol) DO UPDATE SET fence = greatest(lease.fence + 1, excluded.fence), holder = excluded.holder, renewed_at = clock_timestamp()
WHERE lease.holder IS NULL OR lease.renewed_at < clock_timestamp() - $3 * interval '1 millisecond'
RETURNING symbol, fence::int8::text AS fence`;

const RENEW = `
UPDATE feed_lease SET renewed_at = clock_timestamp()
WHERE holder = $1 AND (symbol, fence) IN (SELECT * FROM unnest($2::text[], $3::bigint[]))
RETURNING symbol`;

const INHERIT = `UPDATE feed_lease SET holder = NULL WHERE symbol = ANY ($1) AND holder = $2 RETURNING symbol`;

const RELEASE = `UPDATE feed_lease SET holder = NULL WHERE symbol = $1 AND holder = $2 AND fence = $3`;

export function createLeaseStore(databaseUrl: string, logger: Logger): PostgresLeaseStore {
  const pool = createPool({
    url: databaseUrl,
    logger,
    applicationName: 'data-plane-feed-lease',
    max: 2,
    connectTimeoutMs: ANSWER_MS,
    statementTimeoutMs: ANSWER_MS,
  });
  return {
    async take(above, { holder, leaseMs }) {
      const { rows } = await pool.query<{ symbol: string; fence: string }>(TAKE, [[...above.keys()], holder, leaseMs, [...above.values()]]);
      return new Map(rows.map(({ symbol, fence }) => [symbol, Number(fence)]));
    },
    async inherit(symbols, holder) {
      const { rows } = await pool.query<{ symbol: string }>(INHERIT, [symbols, holder]);
      return new Set(rows.map(({ symbol }) => symbol));
    },
    async renew(held, holder) {
      const { rows } = await pool.query<{ symbol: string }>(RENEW, [holder, [...held.keys()], [...held.values()]]);
      return new Set(rows.map(({ symbol }) => symbol));
    },
    async release(symbol, fence, holder) {
      await pool.query(RELEASE, [symbol, holder, fence]);
    },
    close: () => pool.end(),
  };
}

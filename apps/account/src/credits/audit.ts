import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';

/** Something in the ledger that is not as it must be. */
export interface LedgerFault {
  readonly tenantId: string;
  /** One sentence, with both figures. */
  readonly message: string;
}

export interface LedgerAudit {
  readonly tenants: number;
  readonly postings: number;
  readonly entries: number;
  readonly faults: readonly LedgerFault[];
}

/** A lease's hold may outlive its time by a sweep and a long transaction. */
const SWEEP_GRACE_MS = 30_000;

/** Every query takes the tenant (null: all) as $1 and the latest time at which holds had to be released as $2, and gives one row for each fault. */
const CHECKS: readonly string[] = [
  // Postings.
  `SELECT p.tenant_id, format('Posting %s sums to %s %s credits, not 0.', p.id, sum(e.amount), e.kind) AS message
   FROM posting p JOIN entry e ON e.posting_id = p.id WHERE $1::text IS NULL OR p.tenant_id = $1 GROUP BY p.tenant_id, p.id, e.kind HAVING sum(e.amount) <> 0`,
  // Totals.
  `WITH summed AS (
     SELECT p.tenant_id, e.kind, e.account::text AS account, sum(CASE WHEN e.account = 'issued' THEN -e.amount ELSE e.amount END) AS amount
     FROM posting p JOIN entry e ON e.posting_id = p.id WHERE e.account <> 'grant' AND ($1::text IS NULL OR p.tenant_id = $1) GROUP BY 1, 2, 3
     UNION ALL
     SELECT p.tenant_id, e.kind, 'spent_day', sum(e.amount) FROM posting p JOIN entry e ON e.posting_id = p.id
       JOIN credit_total t ON t.tenant_id = p.tenant_id AND t.kind = e.kind AND t.day = p.counted_on
     WHERE e.account = 'spent' AND ($1::text IS NULL OR p.tenant_id = $1) GROUP BY 1, 2
     UNION ALL
     SELECT p.tenant_id, e.kind, 'spent_month', sum(e.amount) FROM posting p JOIN entry e ON e.posting_id = p.id
       JOIN credit_total t ON t.tenant_id = p.tenant_id AND t.kind = e.kind AND date_trunc('month', t.day) = date_trunc('month', p.counted_on)
     WHERE e.account = 'spent' AND ($1::text IS NULL OR p.tenant_id = $1) GROUP BY 1, 2
   ), kept AS (
     SELECT t.tenant_id, t.kind, v.account, v.amount FROM credit_total t,
       LATERAL (VALUES ('held', t.held), ('spent', t.spent), ('issued', t.issued), ('expired', t.expired), ('spent_day', t.spent_day), ('spent_month', t.spent_month)) AS v(account, amount)
     WHERE $1::text IS NULL OR t.tenant_id = $1
   )
   SELECT k.tenant_id, format('%s %s credits: %s kept, %s by the entries.', k.account, k.kind, k.amount, coalesce(s.amount, 0)) AS message
   FROM kept k LEFT JOIN summed s ON s.tenant_id = k.tenant_id AND s.kind = k.kind AND s.account = CASE k.account WHEN 'held' THEN 'holds' ELSE k.account END
   WHERE k.amount <> coalesce(s.amount, 0)`,
  // Grants.
  `WITH summed AS (
     SELECT e.grant_id, sum(e.amount) AS amount FROM entry e JOIN posting p ON p.id = e.posting_id
     WHERE e.account = 'grant' AND ($1::text IS NULL OR p.tenant_id = $1) GROUP BY 1
   )
   SELECT g.tenant_id, format('Grant %s has %s %s credits left as kept, %s by the entries.', g.id, g."left", g.kind, coalesce(s.amount, 0)) AS message
   FROM credit_grant g LEFT JOIN summed s ON s.grant_id = g.id WHERE ($1::text IS NULL OR g.tenant_id = $1) AND g."left" <> coalesce(s.amount, 0)`,
  `SELECT g.tenant_id, format('Grants of %s credits have spent %s as kept, %s by the totals.', g.kind, sum(g.spent), t.spent) AS message
   FROM credit_grant g JOIN credit_total t ON t.tenant_id = g.tenant_id AND t.kind = g.kind WHERE $1::text IS NULL OR g.tenant_id = $1
   GROUP BY g.tenant_id, g.kind, t.spent HAVING sum(g.spent) <> t.spent`,
  // Holds.
  `SELECT t.tenant_id, format('Open holds have %s %s credits left, the totals hold %s.', coalesce(sum(h."left"), 0), t.kind, t.held) AS message
   FROM credit_total t LEFT JOIN credit_hold h ON h.tenant_id = t.tenant_id AND h.kind = t.kind AND h.ended_at IS NULL WHERE $1::text IS NULL OR t.tenant_id = $1
   GROUP BY t.tenant_id, t.kind, t.held HAVING coalesce(sum(h."left"), 0) <> t.held`,
  `SELECT h.tenant_id, format('Hold %s of %s %s credits had to be released at %s.', h.id, h."left", h.kind, h.release_at) AS message
   FROM credit_hold h WHERE h.ended_at IS NULL AND h.release_at <= $2 AND ($1::text IS NULL OR h.tenant_id = $1)`,
  // Receipts against postings, and usage against receipts.
  `WITH posted AS (
     SELECT p.tenant_id, h.operation_id, p.part, coalesce(sum(e.amount) FILTER (WHERE e.kind = 'market_state'), 0) AS market_state, coalesce(sum(e.amount) FILTER (WHERE e.kind = 'export'), 0) AS export
     FROM posting p JOIN credit_hold h ON h.id = p.operation_id LEFT JOIN entry e ON e.posting_id = p.id AND e.account = 'spent'
     WHERE p.phase = 'charge' AND ($1::text IS NULL OR p.tenant_id = $1) GROUP BY 1, 2, 3
   ), received AS (
     SELECT tenant_id, charged_operation_id AS operation_id, charged_part AS part, sum(observed_market_state_credits) AS market_state, sum(observed_export_credits) AS export
     FROM receipt WHERE $1::text IS NULL OR tenant_id = $1 GROUP BY 1, 2, 3
   )
   SELECT tenant_id, format('Charge %s of %s posted %s market-state and %s export credits; its receipts say %s and %s.', part, operation_id,
     coalesce(p.market_state, 0), coalesce(p.export, 0), coalesce(r.market_state, 0), coalesce(r.export, 0)) AS message
   FROM posted p FULL JOIN received r USING (tenant_id, operation_id, part)
   WHERE coalesce(p.market_state, 0) <> coalesce(r.market_state, 0) OR coalesce(p.export, 0) <> coalesce(r.export, 0)`,
  `WITH received AS (
     SELECT tenant_id, count(*) AS calls, sum(observed_market_state_credits) AS market_state, sum(observed_export_credits) AS export FROM receipt WHERE $1::text IS NULL OR tenant_id = $1 GROUP BY 1
   ), used AS (
     SELECT tenant_id, sum(calls) AS calls, sum(market_state_credits) AS market_state, sum(export_credits) AS export FROM usage_day WHERE $1::text IS NULL OR tenant_id = $1 GROUP BY 1
   )
   SELECT tenant_id, format('Usage counts %s calls, %s market-state and %s export credits; receipts %s, %s and %s.', coalesce(u.calls, 0), coalesce(u.market_state, 0), coalesce(u.export, 0),
     coalesce(r.calls, 0), coalesce(r.market_state, 0), coalesce(r.export, 0)) AS message
   FROM received r FULL JOIN used u USING (tenant_id) WHERE (r.calls, r.market_state, r.export) IS DISTINCT FROM (u.calls, u.market_state, u.export)`,
];

/**
 * Computes every balance anew from the entries, and names what is kept otherwise; also holds past their time, and receipts and usage that are
 * not what was posted. One tenant's, or everybody's.
 */
export function ledgerAudit(pool: Pool, nowMs: number, tenantId: string | null = null): Promise<LedgerAudit> {
  return inTransaction(pool, async (client) => {
    // One moment for all checks: charges go on meanwhile.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query<{ tenants: number; postings: number; entries: number }>(
      `SELECT (SELECT count(*) FROM tenant WHERE $1::text IS NULL OR id = $1)::int AS tenants, (SELECT count(*) FROM posting WHERE $1::text IS NULL OR tenant_id = $1)::int AS postings,
         (SELECT count(*) FROM entry e JOIN posting p ON p.id = e.posting_id WHERE $1::text IS NULL OR p.tenant_id = $1)::int AS entries`,
      [tenantId],
    );
    const counts = rows[0] ?? { tenants: 0, postings: 0, entries: 0 };
    return { ...counts, faults: await findFaults(client, tenantId, nowMs) };
  });
}

async function findFaults(client: PoolClient, tenantId: string | null, nowMs: number): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const check of CHECKS) {
    const values = check.includes('$2') ? [tenantId, new Date(nowMs - SWEEP_GRACE_MS)] : [tenantId];
    const { rows } = await client.query<{ tenant_id: string; message: string }>(check, values);
    faults.push(...rows.map((row) => ({ tenantId: row.tenant_id, message: row.message })));
  }
  return faults;
}

import type { Queryable } from '@market-state/postgres';

interface LedgerFault {
  readonly tenantId: string;
  readonly message: string;
}

export interface LedgerAudit {
  readonly tenants: number;
  readonly postings: number;
  readonly entries: number;
  readonly faults: readonly LedgerFault[];
}

type Scope = (column: string) => string;
const ONE: Scope = (column) => `${column} = $1`;
const ALL: Scope = () => '$1::text IS NULL';

/** A check returns one row per fault; holds must be released by $2. */
const checksOf = (of: Scope): readonly string[] => [
  `SELECT tenant_id, format('Posting %s sums to %s %s credits, not 0.', id, sum(amount), kind) AS message
   FROM lines WHERE kind IS NOT NULL GROUP BY tenant_id, id, kind HAVING sum(amount) <> 0`,
  `WITH summed AS (
     SELECT tenant_id, kind, account::text AS account, sum(CASE WHEN account = 'issued' THEN -amount ELSE amount END) AS amount
       FROM lines WHERE account <> 'grant' GROUP BY 1, 2, 3
     UNION ALL
     SELECT l.tenant_id, l.kind, 'spent_day', sum(l.amount) FROM lines l JOIN credit_total t ON t.tenant_id = l.tenant_id
       AND t.kind = l.kind AND t.day = l.counted_on
     WHERE l.account = 'spent' GROUP BY 1, 2
     UNION ALL
     SELECT l.tenant_id, l.kind, 'spent_month', sum(l.amount) FROM lines l
       JOIN credit_total t ON t.tenant_id = l.tenant_id AND t.kind = l.kind
         AND date_trunc('month', t.day) = date_trunc('month', l.counted_on)
     WHERE l.account = 'spent' GROUP BY 1, 2
   ), kept AS (
     SELECT t.tenant_id, t.kind, v.account, v.amount FROM credit_total t,
       LATERAL (VALUES ('held', t.held), ('spent', t.spent), ('issued', t.issued), ('expired', t.expired), ('spent_day', t.spent_day),
       ('spent_month', t.spent_month)) AS v(account, amount)
     WHERE ${of('t.tenant_id')}
   )
   SELECT k.tenant_id, format('%s %s credits: %s kept, %s by the entries.', k.account, k.kind, k.amount, coalesce(s.amount, 0)) AS message
   FROM kept k LEFT JOIN summed s ON s.tenant_id = k.tenant_id AND s.kind = k.kind
     AND s.account = CASE k.account WHEN 'held' THEN 'holds' ELSE k.account END
   WHERE k.amount <> coalesce(s.amount, 0)`,
  `WITH summed AS (SELECT grant_id, sum(amount) AS amount FROM lines WHERE account = 'grant' GROUP BY 1)
   SELECT g.tenant_id, format('Grant %s has %s %s credits left as kept, %s by the entries.', g.id, g."left", g.kind,
     coalesce(s.amount, 0)) AS message
   FROM credit_grant g LEFT JOIN summed s ON s.grant_id = g.id WHERE ${of('g.tenant_id')} AND g."left" <> coalesce(s.amount, 0)`,
  `SELECT g.tenant_id, format('Grants of %s credits have spent %s as kept, %s by the totals.', g.kind, sum(g.spent), t.spent) AS message
   FROM credit_grant g JOIN credit_total t ON t.tenant_id = g.tenant_id AND t.kind = g.kind WHERE ${of('g.tenant_id')}
   GROUP BY g.tenant_id, g.kind, t.spent HAVING sum(g.spent) <> t.spent`,
  `SELECT t.tenant_id, format('Open holds have %s %s credits left, the totals hold %s.', coalesce(sum(h."left"), 0), t.kind,
    t.held) AS message
   FROM credit_total t LEFT JOIN credit_hold h ON h.tenant_id = t.tenant_id AND h.kind = t.kind AND h.ended_at IS NULL
     WHERE ${of('t.tenant_id')}
   GROUP BY t.tenant_id, t.kind, t.held HAVING coalesce(sum(h."left"), 0) <> t.held`,
  `SELECT h.tenant_id, format('Hold %s of %s %s credits had to be released at %s.', h.id, h."left", h.kind, h.release_at) AS message
   FROM credit_hold h WHERE h.ended_at IS NULL AND h.release_at <= $2 AND ${of('h.tenant_id')}`,
  `WITH charged AS (
     SELECT h.ceiling_id, h.ceiling_from, sum(l.amount) AS amount FROM lines l JOIN credit_hold h ON h.id = l.operation_id
     WHERE l.account = 'spent' AND h.ceiling_id IS NOT NULL GROUP BY 1, 2
   )
   SELECT c.tenant_id, format('Ceiling %s has spent %s credits as kept, %s by the entries.', c.id, c.spent, coalesce(s.amount, 0)) AS message
   FROM credit_ceiling c LEFT JOIN charged s ON s.ceiling_id = c.id AND s.ceiling_from = c.window_from
   WHERE ${of('c.tenant_id')} AND c.spent <> coalesce(s.amount, 0)`,
  // Hourly sums, up to the last summed posting.
  `WITH last AS (SELECT tenant_id, max(last_posting_id) AS id FROM balance_hour WHERE ${of('tenant_id')} GROUP BY 1
   ), kept AS (
     SELECT tenant_id, kind, sum(granted) AS granted, sum(charged) AS charged, sum(expired) AS expired, sum(held + leased) AS held
       FROM balance_hour WHERE ${of('tenant_id')} GROUP BY 1, 2
   ), summed AS (
     SELECT l.tenant_id, l.kind, coalesce(-sum(l.amount) FILTER (WHERE l.account = 'issued'), 0) AS granted,
       coalesce(sum(l.amount) FILTER (WHERE l.account = 'spent'), 0) AS charged,
       coalesce(sum(l.amount) FILTER (WHERE l.account = 'expired'), 0) AS expired,
       coalesce(sum(l.amount) FILTER (WHERE l.account = 'holds'), 0) AS held
     FROM lines l JOIN last ON last.tenant_id = l.tenant_id AND l.id <= last.id WHERE l.kind IS NOT NULL GROUP BY 1, 2
   )
   SELECT k.tenant_id, format('Hours sum to %s %s credits granted, %s charged, %s expired, %s held; the entries to %s, %s, %s, %s.',
     k.granted, k.kind, k.charged, k.expired, k.held, s.granted, s.charged, s.expired, s.held) AS message
   FROM kept k LEFT JOIN summed s USING (tenant_id, kind)
   WHERE (k.granted, k.charged, k.expired, k.held) IS DISTINCT FROM (coalesce(s.granted, 0), coalesce(s.charged, 0),
     coalesce(s.expired, 0), coalesce(s.held, 0))`,
  // Receipts against postings, and usage against receipts.
  `WITH posted AS (
     SELECT l.tenant_id, h.operation_id, l.part, coalesce(sum(l.amount) FILTER (WHERE l.kind = 'market_state' AND l.account = 'spent'),
       0) AS market_state,
       coalesce(sum(l.amount) FILTER (WHERE l.kind = 'export' AND l.account = 'spent'), 0) AS export
     FROM lines l JOIN credit_hold h ON h.id = l.operation_id WHERE l.phase = 'charge' GROUP BY 1, 2, 3
   ), received AS (
     SELECT tenant_id, charged_operation_id AS operation_id, charged_part AS part, sum(observed_market_state_credits) AS market_state,
       sum(observed_export_credits) AS export
     FROM receipt WHERE ${of('tenant_id')} GROUP BY 1, 2, 3
   )
   SELECT tenant_id, format('Charge %s of %s posted %s market-state and %s export credits; its receipts say %s and %s.', part, operation_id,
     coalesce(p.market_state, 0), coalesce(p.export, 0), coalesce(r.market_state, 0), coalesce(r.export, 0)) AS message
   FROM posted p FULL JOIN received r USING (tenant_id, operation_id, part)
   WHERE coalesce(p.market_state, 0) <> coalesce(r.market_state, 0) OR coalesce(p.export, 0) <> coalesce(r.export, 0)`,
  `WITH received AS (
     SELECT tenant_id, count(*) AS calls, sum(observed_market_state_credits) AS market_state, sum(observed_export_credits) AS export
       FROM receipt WHERE ${of('tenant_id')} GROUP BY 1
   ), used AS (
     SELECT tenant_id, sum(calls) AS calls, sum(market_state_credits) AS market_state, sum(export_credits) AS export FROM usage_day
       WHERE ${of('tenant_id')} GROUP BY 1
   )
   SELECT tenant_id, format('Usage counts %s calls, %s market-state and %s export credits; receipts %s, %s and %s.',
     coalesce(u.calls, 0), coalesce(u.market_state, 0), coalesce(u.export, 0),
     coalesce(r.calls, 0), coalesce(r.market_state, 0), coalesce(r.export, 0)) AS message
   FROM received r FULL JOIN used u USING (tenant_id) WHERE (r.calls, r.market_state, r.export)
     IS DISTINCT FROM (u.calls, u.market_state, u.export)`,
];

/**
 * A single statement, so that all checks share one snapshot. `posted` is materialised first, so that entries are found
 * by posting even without table statistics.
 */
const auditOf = (name: string, of: Scope) => ({
  name,
  text: `
    WITH posted AS MATERIALIZED (SELECT id, tenant_id, phase, operation_id, part, counted_on FROM posting WHERE ${of('tenant_id')}),
    lines AS MATERIALIZED (
      SELECT p.*, e.kind, e.account, e.grant_id, e.amount FROM posted p LEFT JOIN entry e ON e.posting_id = p.id
    ), faults AS (${checksOf(of)
      .map((check) => `(${check})`)
      .join(' UNION ALL ')})
    SELECT (SELECT count(*) FROM tenant WHERE ${of('id')})::int AS tenants, (SELECT count(*) FROM posted)::int AS postings,
      (SELECT count(kind) FROM lines)::int AS entries,
      (SELECT coalesce(json_agg(json_build_object('tenantId', tenant_id, 'message', message)), '[]') FROM faults) AS faults`,
});

const AUDIT_ONE = auditOf('audit_tenant', ONE);
const AUDIT_ALL = auditOf('audit_all', ALL);

/** `tenantId` null audits all tenants. @param releasedByMs holds due by this time must have been released */
export async function auditLedger(on: Queryable, tenantId: string | null, releasedByMs: number): Promise<LedgerAudit> {
  const audit = tenantId === null ? AUDIT_ALL : AUDIT_ONE;
  const { rows } = await on.query<LedgerAudit>({ ...audit, values: [tenantId, new Date(releasedByMs)] });
  return rows[0] ?? { tenants: 0, postings: 0, entries: 0, faults: [] };
}

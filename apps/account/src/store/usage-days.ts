import type { Queryable } from '@market-state/postgres';
import { ms } from './milliseconds';

/** Calls of one day, family, route and key or account. */
export interface UsageRow {
  /** Start of the day UTC. */
  readonly dayMs: number;
  readonly workloadFamily: string;
  readonly method: string;
  readonly route: string;
  /** One of the two is empty, both for what is done for a tenant without a call of it. */
  readonly keyId: string;
  readonly accountId: string;
  readonly calls: number;
  readonly marketStateCredits: number;
  readonly exportCredits: number;
}

export interface UsageFilter {
  readonly tenantId: string;
  /** Days UTC that begin in [from, to), milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: all. */
  readonly workloadFamily: string | null;
  /** Null: of every key, and of what has none. */
  readonly keyId: string | null;
}

const READ = {
  name: 'list_usage',
  text: `
  SELECT json_build_object('dayMs', ${ms('"day"')}, 'workloadFamily', "workload_family", 'method', "method",
    'route', "route", 'keyId', "key_id", 'accountId', "account_id", 'calls', "calls", 'marketStateCredits', "market_state_credits",
    'exportCredits', "export_credits") AS usage
  FROM "usage_day" WHERE "tenant_id" = $1 AND "day" >= $2::timestamptz AT TIME ZONE 'UTC'
    AND "day" < $3::timestamptz AT TIME ZONE 'UTC' AND ($4::text IS NULL OR "workload_family" = $4)
    AND ($5::text IS NULL OR "key_id" = $5)
  ORDER BY "day", "workload_family", "route", "method", "key_id", "account_id"`,
};

export async function listUsage(on: Queryable, { tenantId, fromMs, toMs, workloadFamily, keyId }: UsageFilter): Promise<UsageRow[]> {
  const { rows } = await on.query<{ usage: UsageRow }>({
    ...READ,
    values: [tenantId, new Date(fromMs), new Date(toMs), workloadFamily, keyId],
  });
  return rows.map(({ usage }) => usage);
}

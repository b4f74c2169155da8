import type { Queryable } from '@market-state/postgres';

/**
 * Tells the evaluators of these symbols, in the transaction of the change, to read their rules again; an empty symbol stands for all. The
 * rows stay locked until it ends: no packet is looked at by rules that are being changed.
 */
export async function bumpRuleVersions(on: Queryable, symbols: readonly string[]): Promise<void> {
  await on.query(
    `INSERT INTO rule_version (symbol, version) SELECT symbol, 1 FROM unnest($1::text[]) AS s (symbol) ORDER BY symbol
     ON CONFLICT (symbol) DO UPDATE SET version = rule_version.version + 1`,
    [[...new Set(symbols)].sort()],
  );
}

/** Versions of a symbol's rules and of what concerns all, locked against change until the transaction ends. */
export async function holdRuleVersions(on: Queryable, symbol: string): Promise<string> {
  const { rows } = await on.query<{ version: string }>(
    `SELECT version FROM rule_version WHERE symbol IN ($1, '') ORDER BY symbol FOR SHARE`,
    [symbol],
  );
  return rows.map(({ version }) => version).join(' ');
}

/** Makes the rows that `holdRuleVersions` locks. */
export async function ensureRuleVersions(on: Queryable, symbol: string): Promise<void> {
  await on.query(`INSERT INTO rule_version (symbol, version) VALUES ($1, 0), ('', 0) ON CONFLICT (symbol) DO NOTHING`, [symbol]);
}

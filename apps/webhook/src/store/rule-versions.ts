import type { Queryable } from '@market-state/postgres';

/** Lets the evaluators of these symbols read rules and endpoints anew; an empty symbol stands for all. */
export async function bumpRuleVersions(on: Queryable, symbols: readonly string[]): Promise<void> {
  await on.query(
    `INSERT INTO rule_version (symbol, version) SELECT symbol, 1 FROM unnest($1::text[]) AS changed (symbol) ORDER BY symbol
     ON CONFLICT (symbol) DO UPDATE SET version = rule_version.version + 1`,
    [[...symbols]],
  );
}

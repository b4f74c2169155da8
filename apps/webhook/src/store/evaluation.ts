import type { RuleInput, RuleState } from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import type { QueryConfig } from 'pg';
import { jsonList, textList, textsOf } from './bulk-write';

export interface PacketCursor {
  readonly sequence: number;
  readonly windowEndMs: number;
  /** Wall clock. */
  readonly seenMs: number;
}

export interface StoredRule {
  readonly ruleId: string;
  readonly kind: string;
  readonly params: unknown;
  readonly cooldownSeconds: number;
  readonly minConsecutive: number;
  readonly watchlistId: string;
  readonly watchlistKind: 'watchlist' | 'alert';
  readonly watchlistName: string;
  readonly tenantId: string;
  readonly muted: boolean;
  readonly standing: unknown;
  readonly recent: unknown;
}

export interface ChangedRuleState {
  readonly ruleId: string;
  readonly standing: RuleState;
  readonly recent: readonly string[];
}

export async function readCursor(on: Queryable, symbol: string): Promise<PacketCursor | undefined> {
  const { rows } = await on.query<PacketCursor>(
    `SELECT sequence::float8 AS sequence, window_end_ms::float8 AS "windowEndMs", seen_ms::float8 AS "seenMs" FROM packet_cursor WHERE symbol = $1`,
    [symbol],
  );
  return rows[0];
}

export async function startedSymbols(on: Queryable): Promise<string[]> {
  const { rows } = await on.query<{ symbol: string }>('SELECT symbol FROM packet_cursor');
  return rows.map(({ symbol }) => symbol);
}

export async function beginCursor(on: Queryable, symbol: string, cursor: PacketCursor): Promise<void> {
  await on.query(
    'INSERT INTO packet_cursor (symbol, sequence, window_end_ms, seen_ms) VALUES ($1, $2, $3, $4) ON CONFLICT (symbol) DO NOTHING',
    [symbol, cursor.sequence, cursor.windowEndMs, cursor.seenMs],
  );
}

interface VersionRow {
  readonly version: string;
}

const RULE_VERSIONS = `SELECT version FROM rule_version WHERE symbol IN ($1, '')`;

const versionOf = (rows: readonly VersionRow[]): string => rows.map(({ version }) => version).join(' ');

/** Versions of a symbol's rules and of changes to all symbols, share-locked until the transaction ends. */
export async function holdRuleVersions(on: Queryable, symbol: string): Promise<string> {
  const { rows } = await on.query<VersionRow>(`${RULE_VERSIONS} ORDER BY symbol FOR SHARE`, [symbol]);
  return versionOf(rows);
}

export interface CursorAdvance {
  /** Sequence of the cursor before, which must not have moved. */
  readonly readSequence: number;
  readonly cursor: PacketCursor;
  readonly input: RuleInput;
}

/**
 * Moves the cursor past a packet and stores its input, which must have a daily partition. An input that is already
 * stored for its window stays.
 * @returns the versions of the symbol's rules as from `holdRuleVersions`, share-locked until the transaction ends;
 *   undefined, with nothing written, if another evaluator moved the cursor
 */
export async function advanceCursor(on: Queryable, { readSequence, cursor, input }: CursorAdvance): Promise<string | undefined> {
  const { rows } = await on.query<VersionRow>({
    name: 'advance-cursor',
    text: `WITH moved AS (
        UPDATE packet_cursor SET sequence = $3, window_end_ms = $4, seen_ms = $5 WHERE symbol = $1 AND sequence = $2 RETURNING 1
      ), stored AS (
        INSERT INTO rule_input (symbol, sequence, window_end_ms, input) SELECT $1, $3, $4, $6::jsonb FROM moved
        ON CONFLICT (symbol, window_end_ms) DO NOTHING
      )
      ${RULE_VERSIONS} AND EXISTS (SELECT FROM moved) ORDER BY symbol FOR SHARE`,
    values: [input.symbol, readSequence, cursor.sequence, cursor.windowEndMs, cursor.seenMs, JSON.stringify(input)],
  });
  return rows.length === 0 ? undefined : versionOf(rows);
}

export async function holdCursor(on: Queryable, symbol: string, sequence: number): Promise<boolean> {
  const { rowCount } = await on.query('SELECT 1 FROM packet_cursor WHERE symbol = $1 AND sequence = $2 FOR UPDATE', [symbol, sequence]);
  return rowCount === 1;
}

/**
 * Makes evaluators reload the rules of these symbols; an empty symbol means all. The rows stay locked, so no packet is
 * evaluated by rules being changed.
 */
export async function bumpRuleVersions(on: Queryable, symbols: readonly string[]): Promise<void> {
  await on.query(
    `INSERT INTO rule_version (symbol, version) SELECT symbol, 1 FROM unnest($1::text[]) AS s (symbol) ORDER BY symbol
     ON CONFLICT (symbol) DO UPDATE SET version = rule_version.version + 1`,
    [[...new Set(symbols)].sort()],
  );
}

/** Creates the rows that `holdRuleVersions` locks. */
export async function ensureRuleVersions(on: Queryable, symbol: string): Promise<void> {
  await on.query(`INSERT INTO rule_version (symbol, version) VALUES ($1, 0), ('', 0) ON CONFLICT (symbol) DO NOTHING`, [symbol]);
}

export async function readRules(on: Queryable, symbol: string): Promise<StoredRule[]> {
  const { rows } = await on.query<StoredRule>(
    `SELECT rule.rule_id AS "ruleId", rule.kind, rule.params, rule.cooldown_seconds AS "cooldownSeconds", rule.min_consecutive AS "minConsecutive",
       watchlist.watchlist_id AS "watchlistId", watchlist.kind AS "watchlistKind", watchlist.name AS "watchlistName",
       watchlist.tenant_id AS "tenantId", watchlist.muted, rule_state.state AS standing, rule_state.recent
     FROM rule_state JOIN rule ON rule.rule_id = rule_state.rule_id JOIN watchlist ON watchlist.watchlist_id = rule.watchlist_id
     WHERE rule_state.symbol = $1 ORDER BY rule.rule_id`,
    [symbol],
  );
  return rows;
}

export function ruleStatesStatement(symbol: string, changed: readonly ChangedRuleState[], nowMs: number): QueryConfig | undefined {
  if (changed.length === 0) return undefined;
  return {
    // Rules come in id order; the bounds keep the statement from reading all rules of the symbol.
    text: `WITH c AS (SELECT * FROM unnest(${textsOf('$2')}, ${textsOf('$3')}, ${textsOf('$4')}) AS c (rule_id, state, recent))
      UPDATE rule_state SET state = c.state::json, recent = c.recent::json, updated_ms = $5
      FROM c WHERE rule_state.rule_id = c.rule_id AND rule_state.symbol = $1
        AND rule_state.rule_id >= (SELECT min(rule_id) FROM c) AND rule_state.rule_id <= (SELECT max(rule_id) FROM c)`,
    values: [
      symbol,
      textList(changed.map(({ ruleId }) => ruleId)),
      jsonList(changed.map(({ standing }) => standing)),
      textList(changed.map(({ recent }) => `[${recent.join(',')}]`)),
      nowMs,
    ],
  };
}

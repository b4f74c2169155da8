import { NEW_RULE_STATE } from '@market-state/alert-rules';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import { evaluatePacket } from '../src/evaluation/evaluate-symbols';
import { createEvaluatorMetrics, type EvaluatorDeps } from '../src/evaluation/evaluator-deps';
import { loadSymbolRules } from '../src/evaluation/symbol-rules';
import { beginCursor, ensureRuleVersions, readCursor } from '../src/store/evaluation';
import { createInputDays, inputOf } from '../src/store/inputs';
import { packetsOf, startBench, windowEndMs } from '../tests/evaluator-under-test';

const SYMBOL = 'BENCH-PERP';
const RULES = 10_000;
const RULES_A_TENANT = 20;
/** Rules that fire on every change of state; the others never match. */
const MOVED = 9_500;
const ROUNDS = 3;
const GOAL_MS = 250;

async function addRules(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO watchlist (watchlist_id, tenant_id, operation_id, kind, name, symbols, muted, created_ms, updated_ms)
     SELECT 'wl_' || n, 'ten_' || n, 'op_' || n, 'watchlist', 'Bench', '[]', false, 1, 1 FROM generate_series(0, $1::int - 1) AS n`,
    [RULES / RULES_A_TENANT],
  );
  await pool.query(
    `INSERT INTO rule (rule_id, watchlist_id, position, kind, params, cooldown_seconds, min_consecutive)
     SELECT 'rul_' || n, 'wl_' || n / $2::int, n % $2::int, 'state_is', json_build_object('states', json_build_array(
       CASE WHEN n < $3::int THEN 'depth_watch' ELSE 'fragile_depth_watch' END)), 0, 1 FROM generate_series(0, $1::int - 1) AS n`,
    [RULES, RULES_A_TENANT, MOVED],
  );
  await pool.query(`INSERT INTO rule_state (rule_id, symbol, state, recent, updated_ms) SELECT rule_id, $1, $2, '[]', 1 FROM rule`, [
    SYMBOL,
    JSON.stringify(NEW_RULE_STATE),
  ]);
  await pool.query('VACUUM ANALYZE');
}

/** Baseline: time for Postgres to insert as many notice-sized rows in one statement into a table with one index. */
async function insertBare(pool: Pool): Promise<number> {
  const ids = Array.from({ length: MOVED }, (_, index) => `row_${index}`);
  const body = JSON.stringify({ text: 'x'.repeat(1_000) });
  const startMs = performance.now();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('CREATE TEMPORARY TABLE bare (id text PRIMARY KEY, data json) ON COMMIT DROP');
    await client.query('INSERT INTO bare SELECT * FROM unnest($1::text[], $2::json[])', [ids, ids.map(() => body)]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return performance.now() - startMs;
}

/** Prints the time of one packet with 10,000 rules, with and without notices, and its ratio to a bare insert of as many rows. */
async function main(): Promise<void> {
  const bench = await startBench();
  const pool = createPool({ url: bench.ownerUrl, logger: silentLogger(), applicationName: 'bench' });
  try {
    await addRules(pool);
    await ensureRuleVersions(pool, SYMBOL);
    await beginCursor(pool, SYMBOL, { sequence: 0, windowEndMs: windowEndMs(0), seenMs: 1 });
    const cursor = await readCursor(pool, SYMBOL);
    if (cursor === undefined) throw new Error('the symbol is not initialised');
    let held = await loadSymbolRules(pool, SYMBOL, 'none yet', cursor);
    const notifier = { notify: async () => undefined, close: async () => undefined };
    const metrics = createEvaluatorMetrics(new Registry());
    const logger = silentLogger();
    const inputDays = createInputDays(pool, Date.now);
    let sequence = 0;
    const visit = async (letter: 'T' | 'F'): Promise<number> => {
      sequence += 1;
      const [record] = packetsOf(SYMBOL, letter, sequence);
      if (record === undefined) throw new Error('there is no packet');
      const input = inputOf({ ...record, sequence });
      const deps = { pool, inputDays, notifier, metrics, logger, clock: () => input.window_end_ms + 1_000 } as unknown as EvaluatorDeps;
      const startMs = performance.now();
      held = await evaluatePacket(deps, held, input);
      return performance.now() - startMs;
    };
    await visit('F');
    for (let round = 1; round <= ROUNDS; round++) {
      const bare = await insertBare(pool);
      console.log(`round ${round}: bare insert of ${MOVED} rows ${bare.toFixed(0)} ms`);
      const say = (what: string, ms: number): void =>
        console.log(`round ${round}: ${RULES} rules, ${what}: ${ms.toFixed(0)} ms (goal ${GOAL_MS} ms), ratio ${(ms / bare).toFixed(2)}`);
      say('none moves', await visit('F'));
      say(`${MOVED} triggers`, await visit('T'));
      say('none moves', await visit('T'));
      say(`${MOVED} recoveries`, await visit('F'));
    }
  } finally {
    await pool.end();
    await bench.close();
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

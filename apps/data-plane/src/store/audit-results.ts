import { AUDIT_MEASURES, type AuditMeasure, differenceIdOf, DAY_MS } from '@market-state/market-data';
import { inTransaction, type Queryable, run, selectRows } from '@market-state/postgres';
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import type { AuditTarget, Measured } from '../audit/audit-target';
import type { AuditResult } from './generated/tables';
import { reading } from './store-failure';
import { tables } from './tables';

export const AUDIT_KEPT_DAYS = 90;

type AuditedSymbol = Pick<AuditTarget, 'symbol' | 'venue' | 'source'>;

interface LastRun {
  readonly runMs: number;
  readonly toMs: Partial<Record<AuditMeasure, number>>;
}

export async function readLastRun(pool: Pool, symbol: string): Promise<LastRun | undefined> {
  const { rows } = await run(
    pool,
    tables
      .selectFrom('audit_result')
      .distinctOn('measure')
      .select(['measure', 'run_ms', 'to_ms'])
      .where('symbol', '=', symbol)
      .orderBy('measure')
      .orderBy('run_ms', 'desc'),
  );
  if (rows.length === 0) return undefined;
  return {
    runMs: Math.max(...rows.map(({ run_ms: runMs }) => Number(runMs))),
    toMs: Object.fromEntries(rows.map(({ measure, to_ms: toMs }) => [measure, Number(toMs)])),
  };
}

/**
 * A differing measure opens or continues a difference; the first equal run closes it. Idempotent. Deletes runs older
 * than 90 days.
 */
export async function keepRun(pool: Pool, target: AuditedSymbol, runMs: number, found: readonly Measured[]): Promise<void> {
  const { symbol, venue, source } = target;
  await inTransaction(pool, async (client) => {
    for (const { measure, fromMs, toMs, comparison } of found) {
      const { comparedTotal, equalTotal, notComparedTotal, reasons, largest, differsFromMs, differsToMs } = comparison;
      const openId = await openDifference(client, symbol, measure);
      const isEqual = comparedTotal > 0 && equalTotal === comparedTotal;
      const row = {
        symbol,
        measure,
        run_ms: String(runMs),
        venue,
        source,
        from_ms: String(fromMs),
        to_ms: String(toMs),
        compared_total: comparedTotal,
        equal_total: equalTotal,
        not_compared_total: notComparedTotal,
        reasons: [...reasons],
        difference_id: largest === undefined ? openId : (openId ?? differenceIdOf(symbol, measure, runMs)),
        closes: isEqual && openId !== null,
        differs_from_ms: textOrNull(differsFromMs),
        differs_to_ms: textOrNull(differsToMs),
        field: largest?.field ?? null,
        at_ms: textOrNull(largest?.atMs),
        ours: largest?.ours ?? null,
        theirs: largest?.theirs ?? null,
        apart: largest?.by ?? null,
      };
      await run(
        client,
        tables
          .insertInto('audit_result')
          .values(row)
          .onConflict((conflict) => conflict.columns(['symbol', 'measure', 'run_ms']).doNothing()),
      );
    }
    await run(
      client,
      tables
        .deleteFrom('audit_result')
        .where('symbol', '=', symbol)
        .where('measure', 'in', [...AUDIT_MEASURES])
        .where('run_ms', '<', String(runMs - AUDIT_KEPT_DAYS * DAY_MS)),
    );
  });
}

async function openDifference(client: Queryable, symbol: string, measure: AuditMeasure): Promise<string | null> {
  const { rows } = await run(
    client,
    tables
      .selectFrom('audit_result')
      .select(['difference_id', 'closes'])
      .where('symbol', '=', symbol)
      .where('measure', '=', measure)
      .orderBy('run_ms', 'desc')
      .limit(1),
  );
  const [last] = rows;
  return last === undefined || last.closes ? null : last.difference_id;
}

function textOrNull(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}

interface AuditQuery {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Excludes runs that started later. */
  readonly asOfMs: number;
}

export interface AuditDay {
  readonly symbol: string;
  readonly measure: string;
  readonly dayMs: number;
  readonly venue: string;
  readonly source: string;
  readonly runTotal: number;
  readonly comparedTotal: number;
  readonly equalTotal: number;
  readonly notComparedTotal: number;
  readonly reasons: readonly string[];
  readonly lastRunMs: number;
}

/** Ordered by symbol and measure, then by day, oldest first. Rejects as `storeFailure`. */
export async function readAuditDays(pool: Pool, query: AuditQuery): Promise<AuditDay[]> {
  const text = `
    SELECT symbol, measure, run_ms / ${DAY_MS} * ${DAY_MS} AS day_ms, (array_agg(venue ORDER BY run_ms DESC))[1] AS venue,
      (array_agg(source ORDER BY run_ms DESC))[1] AS source, count(*) AS run_total, sum(compared_total)::bigint AS compared_total,
      sum(equal_total)::bigint AS equal_total, sum(not_compared_total)::bigint AS not_compared_total,
      string_agg(nullif(array_to_string(reasons, ','), ''), ',') AS reasons, max(run_ms) AS last_run_ms
    FROM audit_result
    WHERE symbol = ANY($1) AND measure = ANY($2) AND run_ms >= $3 AND run_ms < $4 AND run_ms <= $5
    GROUP BY 1, 2, 3 ORDER BY array_position($1, symbol), array_position($2, measure), day_ms`;
  type Columns = Omit<AuditDay, 'reasons'> & { readonly reasons: string | undefined };
  const days = await reading(selectRows<Columns>(pool, { text, values: valuesOf(query) }));
  return days.map((day) => ({ ...day, reasons: [...new Set(day.reasons?.split(',') ?? [])] }));
}

/** Run that found or closed a difference. */
export type DifferenceRun = Selectable<AuditResult>;

/** All runs of differences with a run in the span, oldest first. Rejects as `storeFailure`. */
export async function readDifferenceRuns(pool: Pool, query: AuditQuery): Promise<DifferenceRun[]> {
  const { rows } = await reading(
    pool.query<DifferenceRun>(
      `SELECT * FROM audit_result
       WHERE run_ms <= $5 AND difference_id IN (
         SELECT difference_id FROM audit_result
         WHERE symbol = ANY($1) AND measure = ANY($2) AND run_ms >= $3 AND run_ms < $4 AND run_ms <= $5 AND difference_id IS NOT NULL)
       ORDER BY run_ms`,
      valuesOf(query),
    ),
  );
  return rows;
}

function valuesOf({ symbols, fromMs, toMs, asOfMs }: AuditQuery): unknown[] {
  return [symbols, AUDIT_MEASURES, fromMs, toMs, asOfMs];
}

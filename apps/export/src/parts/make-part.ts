import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { digestOfFile, type Engine, type ObjectStore, openEngine } from '@market-state/archive';
import { isLogDataset, mediaTypeOf } from '@market-state/export-schema';
import type { FlaggedHour, PartFacts, PartOrder } from '../jobs/job';
import type { MadeFile } from '../store/parts';
import { copy, type CopyOrder, sourceOf, TIME_CHECKED } from './copy-rows';
import { PartError } from './part-error';
import { type SourceDeps, sourcesOf } from './sources';

/** In MiB. */
const MEMORY_MB = 256;
const SPILL_MB_MAX = 4_096;
const LATE = 2;
const SKEWED = 4;

interface MakeDeps extends SourceDeps {
  readonly store: ObjectStore;
}

/**
 * Stores the file under a key of this attempt, so that attempts never overwrite each other.
 * @throws {PartError} and errors of stores and services; the signal's reason on abort
 */
export async function makePart(deps: MakeDeps, part: PartOrder, signal: AbortSignal): Promise<MadeFile> {
  const { job, symbol, plan, name } = part;
  const scratch = await deps.store.scratch();
  const engine = await openEngine({ memoryMb: MEMORY_MB, spillFolder: scratch, spillMbMax: SPILL_MB_MAX });
  try {
    const target = join(scratch, name);
    const sources = await sourcesOf(deps, part, { engine, scratch, signal });
    const facts = await copyRows(engine, { jobId: job.jobId, spec: job.spec, symbol, plan, sources, target }, signal);
    refuseOtherRows(part, facts.rows);
    const { sha256, bytes } = await digestOfFile(target);
    signal.throwIfAborted();
    const objectKey = partKey(part);
    await deps.store.put(objectKey, target);
    return { name, contentType: mediaTypeOf(job.spec.format, job.spec.compression), bytes, sha256, objectKey, facts };
  } finally {
    engine.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

function partKey({ job, attempt, name }: PartOrder): string {
  return `exports/${job.jobId}/${attempt}-${name}`;
}

/** Candle totals are only an upper bound. */
function refuseOtherRows({ job, rowTotal, name }: PartOrder, rows: number): void {
  if (job.spec.dataset === 'candles' ? rows <= rowTotal : rows === rowTotal) return;
  throw new PartError('rows_differ', `${name}: ${rows} rows, but ${rowTotal} were planned.`);
}

/** Row order and row group size are fixed, so the same order gives the same bytes. */
function copyRows(engine: Engine, order: CopyOrder, signal: AbortSignal): Promise<PartFacts> {
  return engine.run(async (connection) => {
    const interrupt = (): void => connection.interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      signal.throwIfAborted();
      const from = await sourceOf(connection, order);
      signal.throwIfAborted();
      const rows = await copy(connection, order, from);
      signal.throwIfAborted();
      return { rows, ...(await factsOf(connection, order, from)) };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  });
}

function timeColumn({ dataset }: CopyOrder['spec']): string {
  return dataset === 'packets' ? 'window_end_ms' : 'open_ts_ms';
}

async function factsOf(connection: DuckDBConnection, { spec }: CopyOrder, from: string): Promise<Omit<PartFacts, 'rows'>> {
  if (isLogDataset(spec.dataset)) return logFactsOf(connection, from);
  const time = timeColumn(spec);
  const totals = await connection.runAndReadAll(`SELECT min(${time}), max(${time}) FROM ${from}`);
  const [firstMs, lastMs] = totals.getRows()[0] ?? [];
  return {
    firstMs: numberOrNull(firstMs),
    lastMs: numberOrNull(lastMs),
    uncheckedRows: 0,
    flagged: [],
    ...(spec.dataset === 'packets' ? { policyDigests: await policiesOf(connection, from) } : {}),
  };
}

/** A single scan, because scans dominate the time of a small file. */
async function logFactsOf(connection: DuckDBConnection, from: string): Promise<Omit<PartFacts, 'rows'>> {
  const found = await connection.runAndReadAll(
    `SELECT exchange_ts_ms - exchange_ts_ms % 3600000 AS hour, min(exchange_ts_ms), max(exchange_ts_ms),
       count(*) FILTER (${TIME_CHECKED} IS NULL), count(*) FILTER (flags & ${LATE} <> 0), count(*) FILTER (flags & ${SKEWED} <> 0)
     FROM ${from} GROUP BY hour ORDER BY hour`,
  );
  const hours = found.getRows().map((row) => {
    const [hourMs = 0, firstMs = 0, lastMs = 0, unchecked = 0, late = 0, skewed = 0] = row.map(Number);
    return { hourMs, firstMs, lastMs, unchecked, late, skewed };
  });
  return {
    firstMs: hours[0]?.firstMs ?? null,
    lastMs: hours.at(-1)?.lastMs ?? null,
    uncheckedRows: hours.reduce((sum, { unchecked }) => sum + unchecked, 0),
    flagged: hours
      .filter(({ late, skewed }) => late + skewed > 0)
      .map(({ hourMs, late, skewed }): FlaggedHour => ({ hourMs, late, skewed })),
  };
}

async function policiesOf(connection: DuckDBConnection, from: string): Promise<string[]> {
  const found = await connection.runAndReadAll(`SELECT DISTINCT policy_digest FROM ${from} ORDER BY policy_digest`);
  return found.getRows().map(([digest]) => String(digest));
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

import { join } from 'node:path';
import { digestOfFile, type Engine, ObjectNotFoundError, type ObjectStore, writeParquet } from '@market-state/archive';
import { isLogDataset } from '@market-state/export-schema';
import type { SourceFile, SourceHour } from '../jobs/part';
import type { Upstreams } from '../upstreams';
import { CANDLE_COLUMNS, candleRows } from './candle-rows';
import { PartError } from './faults';
import { logColumns, logRows } from './log-rows';
import { PACKET_COLUMNS, packetRows } from './packet-rows';
import type { PartOrder } from './part-order';

export interface SourceDeps extends Pick<Upstreams, 'marketData' | 'labeling'> {
  /** Absent: every row is asked for. */
  readonly archive: ObjectStore | undefined;
}

/** Where the rows of a part are read. */
export interface Workplace {
  readonly engine: Engine;
  /** For files in the making. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Local Parquet files with the rows of a part, in their order: the archive's own, held against their digest, and files of the same
 * columns for
 * what is not archived.
 * @throws {PartError} `source_damaged`, `source_gone`
 */
export async function sourcesOf(deps: SourceDeps, part: PartOrder, place: Workplace): Promise<string[]> {
  if (part.job.spec.dataset === 'candles') return [await candleFile(deps, part, place)];
  const files: string[] = [];
  for (const hour of part.plan.hours) {
    place.signal.throwIfAborted();
    const isKept = hour.file !== undefined && deps.archive !== undefined;
    files.push(isKept ? await archivedFile(deps.archive, hour, hour.file) : await askedFile(deps, part, hour, place));
  }
  return files;
}

async function archivedFile(archive: ObjectStore, { hourMs }: SourceHour, { key, sha256 }: SourceFile): Promise<string> {
  const hour = new Date(hourMs).toISOString();
  const path = await archive.get(key).catch((error: unknown) => {
    if (error instanceof ObjectNotFoundError) throw new PartError('source_gone', `Hour ${hour}.`, { cause: error });
    throw error;
  });
  const found = await digestOfFile(path);
  if (found.sha256 !== sha256) throw new PartError('source_damaged', `Hour ${hour}.`);
  return path;
}

async function askedFile(deps: SourceDeps, { job, symbol, plan }: PartOrder, hour: SourceHour, place: Workplace): Promise<string> {
  const file = join(place.scratch, `hour-${hour.hourMs}-${hour.firstOrdinal}.parquet`);
  const { dataset } = job.spec;
  const content = isLogDataset(dataset)
    ? { columns: logColumns(dataset), rows: logRows(deps, { spec: job.spec, dataset, symbol, plan, hour }, place.signal) }
    : { columns: PACKET_COLUMNS, rows: packetRows(deps, { spec: job.spec, symbol, plan, hour }) };
  await writeParquet(place.engine, file, { ...content, compression: 'uncompressed' });
  return file;
}

async function candleFile(deps: SourceDeps, { job, symbol, plan }: PartOrder, { engine, scratch }: Workplace): Promise<string> {
  const file = join(scratch, 'candles.parquet');
  await writeParquet(engine, file, { columns: CANDLE_COLUMNS, rows: candleRows(deps, { spec: job.spec, symbol, plan }) });
  return file;
}

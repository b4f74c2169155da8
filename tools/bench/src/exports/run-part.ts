import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { createFolderStore, literal, type ObjectStore } from '@market-state/archive';
import { makePart, type PartOrder, selectionOf } from '@market-state/export';
import { openPlainEngine, type Sources, partOf } from './sources';

const DAY_ROWS = 2_000_000;
const PARTS = 32;
const GOALS = { mib: 512, share: 0.1 };
const SAMPLE_MS = 50;

/** Includes the benchmark's modules in addition to a worker's. */
export async function measureMemory(sources: Sources, folder: string, say: (line: string) => void): Promise<void> {
  const written = { dataset: 'trades', format: 'parquet', compression: 'zstd' } as const;
  const { rowTotal: hourRows } = await partOf(sources, written, true);
  const day = await partOf(sources, written, true, Math.ceil(DAY_ROWS / hourRows));
  const store = createFolderStore(join(folder, 'memory'));
  const peaks: number[] = [];
  for (let made = 1; made <= PARTS; made += 1) peaks.push(await peakDuring(() => runPipeline(sources, store, day)));
  const quarter = PARTS / 4;
  const [second, last] = [meanOf(peaks.slice(quarter, 2 * quarter)), meanOf(peaks.slice(-quarter))];
  say(
    `memory: ${Math.max(...peaks).toFixed(0)} MiB at most for ${day.rowTotal} rows in one part (goal ${GOALS.mib}); ${PARTS} parts in sequence: ` +
      `${second.toFixed(0)} MiB in the second quarter, ${last.toFixed(0)} in the last (goal within ${GOALS.share * 100} %)`,
  );
}

async function peakDuring(work: () => Promise<unknown>): Promise<number> {
  let peak = residentMib();
  const timer = setInterval(() => (peak = Math.max(peak, residentMib())), SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

function residentMib(): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1_024;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const ROW_GROUP_ROWS = 122_880;

export interface Took {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** The worker's whole pipeline: verified sources, COPY, facts, digest, put. */
export function runPipeline(sources: Sources, store: ObjectStore, part: PartOrder): Promise<Took> {
  return timed(async () => {
    const archive = createFolderStore(sources.market.archiveFolder);
    const { marketData } = sources;
    const deps = { store, archive, marketData, labeling: undefined as never };
    const { bytes, objectKey } = await makePart(deps, part, new AbortController().signal);
    await store.delete(objectKey);
    return bytes;
  });
}

export function runPlainCopy(sources: Sources, folder: string, { job: { spec }, symbol, plan, name }: PartOrder): Promise<Took> {
  return timed(async () => {
    const files = plan.hours.map(({ file }) => literal(join(sources.market.archiveFolder, file?.key ?? ''))).join(', ');
    const { format, compression } = spec;
    const options = {
      parquet: `FORMAT parquet, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`,
      csv: `FORMAT csv, HEADER true, NULLSTR ''`,
      ndjson: 'FORMAT json, ARRAY false',
    }[format];
    const engine = await openPlainEngine();
    try {
      await engine.run((connection) =>
        connection.run(
          `COPY (SELECT ${selectionOf(spec, symbol).list} FROM read_parquet([${files}], hive_partitioning = false))
           TO ${literal(join(folder, name))} (${options}, COMPRESSION ${compression === 'none' && format === 'parquet' ? 'uncompressed' : compression})`,
        ),
      );
    } finally {
      engine.close();
    }
    return 0;
  });
}

async function timed(work: () => Promise<number>): Promise<Took> {
  const [startedMs, startedCpu] = [performance.now(), process.cpuUsage()];
  const bytes = await work();
  const { user, system } = process.cpuUsage(startedCpu);
  return { elapsedMs: performance.now() - startedMs, cpuMs: (user + system) / 1_000, bytes };
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createFolderStore } from '@market-state/archive';
import type { PartOrder, SourceHour } from '@market-state/export';
import { COMPRESSIONS, type Compression, compressionsOf, type Dataset, FORMATS, isLogDataset } from '@market-state/export-schema';
import { openExportMarket } from '@market-state/recorded-market';
import { openFolder, openPrivateStores, withCloser } from '@market-state/testing';
import { runPipeline, runPlainCopy, type Took, measureMemory } from './run-part';
import { simulatedHour, openSources, partOf, type Sources, SYMBOL, type Written } from './sources';

/**
 * Export parts as made by a worker, compared with a plain DuckDB COPY of the same rows in the same run; then bytes per
 * row, and memory over many parts. Run: npm run bench -- exports
 */

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 5, 12);
/** One archived hour, and one that is nearly over and has no file. */
const END_MS = START_MS + 1.95 * HOUR_MS;
/** After this time the recording repeats and compresses better. */
const NEW_MS = 600_000;
const NEW = { toMs: START_MS + NEW_MS };
const SPANS: Readonly<Partial<Record<Dataset, typeof NEW>>> = { book: NEW, trades: NEW };
const ROUNDS = 3;
const GOALS = { archived: 1.3, requested: 6 };
/** Repetitions of the recording's hour: enough trades for a busy day. */
const TIMES: Readonly<Partial<Record<Dataset, number>>> = { trades: 60, book: 2 };
const SIZED: readonly Dataset[] = ['book', 'trades', 'liquidations', 'context', 'candles'];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  await withCloser(async (closer) => {
    const stores = await openPrivateStores(closer, 'data_plane');
    const market = await openExportMarket(closer, stores, { symbols: [SYMBOL], startMs: START_MS, endMs: END_MS });
    const sources = openSources(closer, market);
    const folder = openFolder(closer);
    mkdirSync(join(folder, 'copy'));
    await measureSizes(sources, folder);
    for (const dataset of ['trades', 'book'] as const)
      for (const format of FORMATS) {
        await measureArchived(sources, folder, { dataset, format, compression: 'zstd' });
        if (dataset === 'trades') await measureArchived(sources, folder, { dataset, format, compression: 'gzip' });
      }
    for (const dataset of ['trades', 'book'] as const)
      await measureRequested(sources, folder, { dataset, format: 'parquet', compression: 'zstd' });
    await measureMemory(sources, folder, say);
  });
}

async function measureArchived(sources: Sources, folder: string, written: Written): Promise<void> {
  const part = await partOf(sources, written, true, TIMES[written.dataset]);
  const store = createFolderStore(join(folder, 'store'));
  const [ours, plain]: [Took[], Took[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    plain.push(await runPlainCopy(sources, join(folder, 'copy'), part));
    ours.push(await runPipeline(sources, store, part));
  }
  const ratio = medianOf(ours.map(({ cpuMs }, at) => cpuMs / (plain[at]?.cpuMs ?? NaN)));
  const elapsed = medianOf(ours.map(({ elapsedMs }, at) => elapsedMs / (plain[at]?.elapsedMs ?? NaN)));
  const rate = Math.round((part.rowTotal / medianOf(ours.map(({ elapsedMs }) => elapsedMs))) * 1_000);
  say(
    `${nameOf(written)}: ${ratio.toFixed(2)} x a plain COPY by CPU, ${elapsed.toFixed(2)} by wall clock (goal ${GOALS.archived}); ` +
      `${part.rowTotal} rows at ${rate.toLocaleString('en')} rows/s`,
  );
}

/** Compared with COPY of the archived hour per row: the two hours have about the same number of rows. */
async function measureRequested(sources: Sources, folder: string, written: Written): Promise<void> {
  const [requested, archived] = [await partOf(sources, written, false), await partOf(sources, written, true)];
  const store = createFolderStore(join(folder, 'store'));
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const plain = await runPlainCopy(sources, join(folder, 'copy'), archived);
    const ours = await runPipeline(sources, store, requested);
    ratios.push(ours.elapsedMs / requested.rowTotal / (plain.elapsedMs / archived.rowTotal));
  }
  say(
    `${nameOf(written)}, hours without a file: ${medianOf(ratios).toFixed(2)} x a plain COPY by wall clock (goal ${GOALS.requested}); ${requested.rowTotal} rows`,
  );
}

async function measureSizes(sources: Sources, folder: string): Promise<void> {
  const { archiveFolder } = sources.market;
  const store = createFolderStore(join(folder, 'sizes'));
  const larger = new Map<Compression, number[]>();
  for (const dataset of SIZED)
    for (const format of FORMATS) {
      const sizes = new Map<Compression, number>();
      for (const compression of compressionsOf(format)) {
        const usual = await partOf(sources, { dataset, format, compression, ...SPANS[dataset] }, true);
        const hour = isLogDataset(dataset) ? await simulatedHour(archiveFolder, SYMBOL, dataset, START_MS) : undefined;
        const part = hour === undefined ? usual : ofHour(usual, hour);
        if (part.rowTotal > 0) sizes.set(compression, (await runPipeline(sources, store, part)).bytes / rowsOf(part.rowTotal, dataset));
      }
      const packed = sizes.get('zstd') ?? NaN;
      for (const [compression, size] of sizes) larger.set(compression, [...(larger.get(compression) ?? []), size / packed]);
      const reported = [...sizes].map(([compression, size]) => `${compression} ${size.toFixed(1)}`).join(', ');
      say(`${dataset} ${format}: bytes per row: ${reported === '' ? 'no rows are recorded' : reported}`);
    }
  for (const compression of COMPRESSIONS) {
    const ratios = larger.get(compression) ?? [];
    say(
      `${compression}: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} times the size of zstd, median ${medianOf(ratios).toFixed(2)}`,
    );
  }
}

function ofHour(part: PartOrder, hour: SourceHour): PartOrder {
  const { spec, jobId } = part.job;
  const span = { fromMs: 1, toMs: Number.MAX_SAFE_INTEGER };
  return {
    ...part,
    job: { jobId, spec: { ...spec, ...span } },
    plan: { ...span, toOrdinal: Number.MAX_SAFE_INTEGER, hours: [hour] },
    rowTotal: hour.rows,
  };
}

function rowsOf(rowTotal: number, dataset: Dataset): number {
  return dataset === 'candles' ? Math.floor((END_MS - START_MS) / 60_000) : rowTotal;
}

function nameOf({ dataset, format, compression }: Written): string {
  return `${dataset} ${format} ${compression}`;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

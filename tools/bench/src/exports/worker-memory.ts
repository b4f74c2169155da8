import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolderStore } from '@market-state/archive';
import { runPipeline } from './run-part';
import { partOf, type Sources } from './sources';

/** Rows of a part that is a busy day, and parts in a row. */
const DAY_ROWS = 2_000_000;
const PARTS = 32;
const GOALS = { mib: 512, share: 0.1 };
const SAMPLE_MS = 50;

/**
 * Memory of this process while it makes a day of trades in one part, and then such days one after the other. It has the modules of the
 * benchmark loaded beside those of a worker.
 */
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
    `memory: ${Math.max(...peaks).toFixed(0)} MiB at most for ${day.rowTotal} rows in one part (goal ${GOALS.mib}); ${PARTS} parts in a row: ` +
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

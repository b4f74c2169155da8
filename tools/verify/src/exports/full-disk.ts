import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { exports } from '@market-state/contracts';
import type { Closer } from '@market-state/lifecycle';
import { comesTrue, openFolder } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import { checkLedger } from './check-jobs';
import { openExportSystem } from './export-system';
import { readJobs } from './job-rows';
import { orderOf, orderUntilTaken, specOf } from './orders';
import { filesBegun, type SingleScene, untilEnded } from './single-orders';

const { Compression, Dataset, FileFormat, JobStatus } = exports;
const DISK_MB = 512;
const BEGUN_MS_MAX = 60_000;
/** A job that has not failed by then has made a part before the disk was full, and begins no other without room. */
const FAILED_MS_MAX = 15_000;
/** Jobs that were ready before the disk was full, or waited for room, are made again so often. */
const TRIES = 5;
const PIECE = Buffer.alloc(1_024 * 1_024);

/**
 * A job whose disk fills up while its file is written fails for that reason and costs nothing; when there is room again, the next is
 * made.
 */
export async function fillDisk(scene: SingleScene, accountAddress: string, context: SuiteContext): Promise<void> {
  const { closer, report } = context;
  const folder = mountSmallDisk(closer);
  if (folder === undefined) {
    report.figure('full disk', 'skipped: no small disk can be mounted');
    return;
  }
  const { market, pool, ledger } = scene;
  const [customer] = scene.customers;
  if (customer === undefined) return;
  const system = await openExportSystem(closer, market, accountAddress, { exportUrl: folder, workerTotal: 1, isHurried: true });
  const spec = specOf({
    dataset: Dataset.BOOK,
    symbols: market.symbols.slice(0, 1),
    fromMs: market.startMs,
    toMs: market.endMs,
    format: FileFormat.NDJSON,
    compression: Compression.NONE,
  });
  const filler = join(folder, 'filler');
  const orderAndFill = async (number: number) => {
    rmSync(filler, { force: true });
    const failing = await orderUntilTaken(system.calls, orderOf(customer, `op_full_${number}`, spec));
    const isBegun = await comesTrue(() => filesBegun(folder).some((name) => name.endsWith('.ndjson')), {
      limitMs: BEGUN_MS_MAX,
      everyMs: 1,
    });
    report.check(isBegun, 'No file was begun on the small disk.');
    fill(filler);
    const ended = await untilEnded(system.calls, customer, failing, FAILED_MS_MAX);
    if (ended?.status !== JobStatus.RUNNING) return ended;
    rmSync(filler);
    return untilEnded(system.calls, customer, failing);
  };
  let failed = await orderAndFill(1);
  for (let number = 2; number <= TRIES && failed?.status === JobStatus.READY; number += 1) failed = await orderAndFill(number);
  report.check(
    failed?.status === JobStatus.FAILED && failed.error?.reason === 'storage_full',
    `A job without room ended as ${failed?.status} ${failed?.error?.reason ?? ''}.`,
  );
  rmSync(filler);
  const next = await orderUntilTaken(system.calls, orderOf(customer, 'op_room', spec));
  const made = await untilEnded(system.calls, customer, next);
  report.check(made?.status === JobStatus.READY, `The job after it ended as ${made?.status}.`);
  await system.stop();
  const jobs = await readJobs(pool);
  await checkLedger(
    ledger,
    jobs.filter(({ status }) => status === 'ready'),
    report,
  );
  report.figure('full disk', `${failed?.error?.reason ?? 'no reason'}; the next job ${made?.status ?? 'unknown'}`);
}

/** A file system of its own in memory; undefined where this user may not mount one. */
function mountSmallDisk(closer: Closer): string | undefined {
  const folder = join(openFolder(closer), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  closer.add('disk', () => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Writes until there is no room. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, PIECE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

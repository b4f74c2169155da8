import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { openStore } from '@market-state/archive';
import { exports } from '@market-state/contracts';
import { delay, type Closer } from '@market-state/lifecycle';
import { type MarketSettings, openExportMarket } from '@market-state/recorded-market';
import { openFolder, openPrivateStores, comesTrue, hasSwift, openSwiftBucket, startSwift } from '@market-state/testing';
import { openPool, type Suite, type SuiteContext, firstOf } from '../harness';
import { checkJobs, checkLedger, checkStore, openJobs, readJobs, readParts } from './check-jobs';
import { openExportOffice, openExportSystem, type ExportSystem, anySpec, orderOf, orderUntilAccepted, specOf } from './export-system';
import { type KillSettings, killWorkers } from './kill-workers';
import { askForOthers, cancelMidCopy, orderAboveQuote, orderEqually, type SingleScene, filesStarted, untilEnded } from './single-orders';

const { Compression, Dataset, FileFormat, JobStatus } = exports;
const DISK_MB = 512;
const STARTED_MS_MAX = 60_000;
/** A job that has not failed yet wrote its part before the disk was full, and does not start another without space. */
const FAILED_MS_MAX = 15_000;
/** Tries, because a job may finish before the disk is full, or wait for space. */
const TRIES = 5;
const PIECE = Buffer.alloc(1_024 * 1_024);

/**
 * A job whose disk fills up during a write fails with that reason and costs nothing; once space is free, the next job
 * succeeds.
 */
async function fillDisk(scene: SingleScene, accountAddress: string, context: SuiteContext): Promise<void> {
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
    const failing = await orderUntilAccepted(system.calls, orderOf(customer, `op_full_${number}`, spec));
    const isStarted = await comesTrue(() => filesStarted(folder).some((name) => name.endsWith('.ndjson')), {
      limitMs: STARTED_MS_MAX,
      everyMs: 1,
    });
    report.check(isStarted, 'No file was started on the small disk.');
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
    `A job without disk space ended as ${failed?.status} ${failed?.error?.reason ?? ''}.`,
  );
  rmSync(filler);
  const next = await orderUntilAccepted(system.calls, orderOf(customer, 'op_room', spec));
  const made = await untilEnded(system.calls, customer, next);
  report.check(made?.status === JobStatus.READY, `The next job ended as ${made?.status}.`);
  await system.stop();
  const jobs = await readJobs(pool);
  await checkLedger(
    ledger,
    jobs.filter(({ status }) => status === 'ready'),
    report,
  );
  report.figure('full disk', `${failed?.error?.reason ?? 'no reason'}; the next job ${made?.status ?? 'unknown'}`);
}

/** Mounts a small in-memory file system; undefined if this user may not mount. */
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

const JOBS = 24;
const KILLS = 2;
const BETWEEN_MS = 3_000;
const AWAY_MS = 2_000;
const REST_MS_MAX = 600_000;
const SHOWN_MAX = 5;

/**
 * Jobs that write to a bucket whose servers are killed end ready, or failed because the store was unreachable, and
 * ready files are complete.
 */
async function loseStore(scene: SingleScene, accountAddress: string, context: SuiteContext): Promise<void> {
  const { closer, report, say } = context;
  if (!hasSwift) {
    report.figure('bucket', 'skipped: Swift is not installed (Debian: swift-proxy, -account, -container, -object, memcached)');
    return;
  }
  const { market, pool, ledger } = scene;
  const swift = await startSwift();
  closer.add('swift', () => swift.stop());
  const bucket = await openSwiftBucket(swift);
  closer.add('bucket', () => bucket.close());
  const [exportUrl, cacheFolder] = [`s3://${bucket.name}/files`, openFolder(closer)];
  const env = {
    S3_ENDPOINT: swift.endpoint,
    S3_CACHE_DIR: cacheFolder,
    AWS_ACCESS_KEY_ID: swift.accessKeyId,
    AWS_SECRET_ACCESS_KEY: swift.secretAccessKey,
  };
  const system = await openExportSystem(closer, market, accountAddress, { exportUrl, workerTotal: 2, isHurried: true, env });
  const ordering = orderAll(scene, system, context);
  ordering.catch(() => undefined);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await delay(BETWEEN_MS);
    await swift.kill();
    await delay(AWAY_MS);
    await swift.restart();
    say(`the servers of the bucket were killed ${kill} of ${KILLS} times`);
  }
  const ordered = new Set(await ordering);
  const isOver = await comesTrue(async () => (await openJobs(pool)) === 0, { limitMs: REST_MS_MAX, everyMs: 200 });
  report.check(isOver, `${await openJobs(pool)} jobs of the bucket have not ended.`);
  await system.stop();
  const jobs = await readJobs(pool);
  const ready = jobs.filter(({ status }) => status === 'ready');
  const inBucket = jobs.filter(({ job_id: id }) => ordered.has(id));
  const whole = inBucket.filter(({ status }) => status === 'ready');
  const otherwise = inBucket.filter((job) => job.status !== 'ready' && job.error_reason !== 'storage_unreachable');
  report.fail(
    ...firstOf(
      otherwise.map((job) => `Job ${job.job_id} ended as ${job.status} ${job.error_reason ?? ''}.`),
      SHOWN_MAX,
    ),
  );
  report.check(inBucket.length === JOBS && whole.length > 0, `${whole.length} of ${inBucket.length} jobs of the bucket are ready.`);
  await checkLedger(ledger, ready, report);
  const store = openStore(exportUrl, { endpoint: swift.endpoint, cacheFolder });
  await checkStore({ jobs: pool, ledger, store }, whole, await readParts(pool), report);
  report.figure('bucket', `${whole.length} of ${inBucket.length} jobs ready, its servers killed ${KILLS} times`);
}

async function orderAll({ market, customers }: SingleScene, system: ExportSystem, { random }: SuiteContext): Promise<string[]> {
  const ids: string[] = [];
  for (let order = 1; order <= JOBS; order += 1) {
    const customer = customers[order % customers.length];
    if (customer === undefined) throw new Error('No orders are being placed.');
    ids.push(await orderUntilAccepted(system.calls, orderOf(customer, `op_bucket_${order}`, anySpec(market, random))));
  }
  return ids;
}

const MIDNIGHT_MS = Date.UTC(2026, 0, 6);
const HOUR_MS = 3_600_000;

interface Form {
  readonly market: MarketSettings;
  readonly workerTotal: number;
  readonly customers: number;
  readonly equalOrders: number;
  readonly kills: Omit<KillSettings, 'jobs'>;
}

const LONG: Form = {
  market: { symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], startMs: MIDNIGHT_MS - 2 * HOUR_MS, endMs: MIDNIGHT_MS + 0.3 * HOUR_MS },
  workerTotal: 4,
  customers: 20,
  equalOrders: 200,
  kills: { kills: 69, pauseMs: [500, 3_000], freezeMs: 90_000, durationMsMax: 300_000, restMsMax: 1_200_000, pollMs: 40, pollsMin: 1_000 },
};

const SHORT: Form = {
  market: { symbols: ['BTCUSD-PERP'], startMs: MIDNIGHT_MS - 600_000, endMs: MIDNIGHT_MS + 120_000 },
  workerTotal: 2,
  customers: 4,
  equalOrders: 40,
  kills: { kills: 6, pauseMs: [500, 1_500], freezeMs: 0, durationMsMax: 120_000, restMsMax: 240_000, pollMs: 15, pollsMin: 100 },
};

export const exportSuite: Suite = {
  id: 'exports',
  claim:
    'jobs whose workers are killed or frozen end ready and charged once, or failed with a reason and free of charge; no part of an old try is served',
  budget: { default: 200, counts: 'jobs' },
  short: { seed: 20_261_123, budget: 12 },
  async run(context) {
    const { closer, budget, isShort, say, report } = context;
    const form = isShort ? SHORT : LONG;
    const stores = await openPrivateStores(closer, 'account', 'data_plane', 'export');
    const [market, office] = [await openExportMarket(closer, stores, form.market), await openExportOffice(closer, stores)];
    const customers = [];
    while (customers.length < form.customers) customers.push(await office.customer(`Tenant ${customers.length + 1}`));
    const folder = join(openFolder(closer), 'exports');
    const settings = { exportUrl: folder, workerTotal: form.workerTotal, isHurried: isShort };
    const system = await openExportSystem(closer, market, office.address, settings);
    const [pool, ledger] = [openPool(closer, stores.postgresUrl('export')), openPool(closer, stores.postgresUrl('account'))];
    const scene: SingleScene = { market, system, customers, pool, ledger, folder };
    say('recorded, archived and ready');
    const { jobIds, remadeMax } = await killWorkers(scene, { ...form.kills, jobs: budget }, context);
    say('all jobs have ended; placing single orders');
    const ordered = [...jobIds, ...(await orderOneByOne(scene, form.equalOrders, context))];
    await checkJobs({ jobs: pool, ledger, store: openStore(folder) }, ordered, { remadeMax }, report);
    await system.stop();
    say('filling the disk');
    await fillDisk(scene, office.address, context);
    if (isShort) return;
    say('writing to a bucket');
    await loseStore(scene, office.address, context);
  },
};

async function orderOneByOne(scene: SingleScene, equalOrders: number, context: SuiteContext): Promise<string[]> {
  const equal = await orderEqually(scene, equalOrders, context);
  await orderAboveQuote(scene, context);
  for (const jobId of equal) await askForOthers(scene, jobId, context);
  return [...equal, ...(await cancelMidCopy(scene, context))];
}

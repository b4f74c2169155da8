import { openStore } from '@market-state/archive';
import { delay } from '@market-state/lifecycle';
import { comesTrue, hasSwift, openSwiftBucket, startSwift, openFolder } from '@market-state/testing';
import { firstOf, type SuiteContext } from '../harness';
import { checkLedger, checkStore } from './check-jobs';
import { type ExportSystem, openExportSystem } from './export-system';
import { openJobs, readJobs, readParts } from './job-rows';
import { anySpec, orderOf, orderUntilTaken } from './orders';
import type { SingleScene } from './single-orders';

const JOBS = 24;
const KILLS = 2;
const BETWEEN_MS = 3_000;
const AWAY_MS = 2_000;
const REST_MS_MAX = 600_000;
const SHOWN_MAX = 5;

/**
 * Jobs whose files go to a bucket, while the servers of the bucket are killed: each ends ready, or failed because the store could not be
 * reached, and what is ready is whole.
 */
export async function loseStore(scene: SingleScene, accountAddress: string, context: SuiteContext): Promise<void> {
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
    if (customer === undefined) throw new Error('Nobody orders.');
    ids.push(await orderUntilTaken(system.calls, orderOf(customer, `op_bucket_${order}`, anySpec(market, random))));
  }
  return ids;
}

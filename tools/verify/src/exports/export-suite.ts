import { join } from 'node:path';
import { openStore } from '@market-state/archive';
import { type MarketSettings, openExportMarket } from '@market-state/recorded-market';
import { openFolder, openPrivateStores } from '@market-state/testing';
import { openPool, type Suite, type SuiteContext } from '../harness';
import { checkJobs } from './check-jobs';
import { openExportOffice, openExportSystem } from './export-system';
import { fillDisk } from './full-disk';
import { type KillSettings, killWorkers } from './kill-workers';
import { loseStore } from './lose-store';
import { askForOthers, cancelMidCopy, orderAboveQuote, orderEqually, type SingleScene } from './single-orders';

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
  // One each 0.5 to 3 s, for 120 s.
  kills: { kills: 69, pauseMs: [500, 3_000], freezeMs: 90_000, takenMsMax: 300_000, restMsMax: 1_200_000, pollMs: 40, pollsMin: 1_000 },
};

const SHORT: Form = {
  market: { symbols: ['BTCUSD-PERP'], startMs: MIDNIGHT_MS - 600_000, endMs: MIDNIGHT_MS + 120_000 },
  workerTotal: 2,
  customers: 4,
  equalOrders: 40,
  kills: { kills: 6, pauseMs: [500, 1_500], freezeMs: 0, takenMsMax: 120_000, restMsMax: 240_000, pollMs: 15, pollsMin: 100 },
};

/** Kills workers, freezes one, and takes Redis, Postgres and the disk away, while jobs are made; then compares jobs, ledger and store. */
export const exportSuite: Suite = {
  id: 'exports',
  claim:
    'jobs whose workers are killed and frozen end ready and charged once, or failed with a reason and free; no part of an old try is served',
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
    say('all jobs have ended; now orders one by one');
    const ordered = [...jobIds, ...(await orderOneByOne(scene, form.equalOrders, context))];
    await checkJobs({ jobs: pool, ledger, store: openStore(folder) }, ordered, { remadeMax }, report);
    await system.stop();
    say('the disk fills up');
    await fillDisk(scene, office.address, context);
    if (isShort) return;
    say('files go to a bucket');
    await loseStore(scene, office.address, context);
  },
};

async function orderOneByOne(scene: SingleScene, equalOrders: number, context: SuiteContext): Promise<string[]> {
  const equal = await orderEqually(scene, equalOrders, context);
  await orderAboveQuote(scene, context);
  for (const jobId of equal) await askForOthers(scene, jobId, context);
  return [...equal, ...(await cancelMidCopy(scene, context))];
}

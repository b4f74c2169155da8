import { isServiceError } from '@market-state/errors';
import { delay } from '@market-state/lifecycle';
import type { ExportMarket } from '@market-state/recorded-market';
import { comesTrue, flushRedis, type KillableProcess, oneOf, restartPostgres, type Tenant } from '@market-state/testing';
import type { Pool } from 'pg';
import { firstOf, type SuiteContext } from '../harness';
import { freezeBeforeCommit, type FrozenWorker } from './disturb';
import { openJobs } from './check-jobs';
import { type ExportSystem, type Exports, anySpec, orderOf, orderUntilAccepted, mayPass } from './export-system';

interface PolledJob {
  readonly customer: Tenant;
  readonly jobId: string;
}

interface Polls {
  stop(): Promise<{ readonly total: number; readonly whole: number; readonly faults: readonly string[] }>;
}

function pollResults(calls: Exports, jobs: readonly PolledJob[], everyMs: number, random: () => number): Polls {
  const results = new Map<string, string>();
  const faults: string[] = [];
  let [total, whole, isOver] = [0, 0, false];

  async function poll({ customer: { tenantId }, jobId }: PolledJob): Promise<void> {
    try {
      const { job, files } = await calls.getResult({ tenantId, jobId });
      whole += 1;
      const seen = JSON.stringify(files);
      const data = files.filter(({ isData }) => isData);
      const rows = data.reduce((sum, file) => sum + file.rows, 0);
      const isWhole =
        data.length === job?.partTotal &&
        rows === job.rowTotal &&
        ['manifest.json', 'SHA256SUMS'].every((name) => files.some((file) => file.name === name));
      if (!isWhole)
        faults.push(`Job ${jobId} was served with ${data.length} files of ${job?.partTotal}, ${rows} rows of ${job?.rowTotal}.`);
      if ((results.get(jobId) ?? seen) !== seen) faults.push(`Job ${jobId} was served with different files than before.`);
      results.set(jobId, seen);
    } catch (error) {
      if (!isServiceError(error, 'job_not_ready') && !isServiceError(error, 'job_failed') && !mayPass(error))
        faults.push(`${jobId}: ${String(error)}`);
    }
    total += 1;
  }

  async function pollAll(): Promise<void> {
    while (!isOver) {
      const job = oneOf(jobs, random);
      if (job !== undefined) await poll(job);
      await delay(everyMs);
    }
  }

  const polling = pollAll();
  return {
    async stop() {
      isOver = true;
      await polling;
      return { total, whole, faults };
    },
  };
}

/** Concurrent orders: planning counts rows. */
const ORDERS_AT_ONCE = 4;

interface OrderScene {
  readonly market: ExportMarket;
  readonly system: ExportSystem;
  readonly customers: readonly Tenant[];
}

interface Orders {
  again(): Promise<void>;
  taken(): Promise<void>;
  rounds(): number;
}

/**
 * @param total orders per round
 * @param jobs receives each accepted job
 */
function openOrders({ market, system, customers }: OrderScene, total: number, jobs: PolledJob[], random: () => number): Orders {
  const calls = system.openCalls();
  let [ordered, rounds] = [0, 0];
  const order = async (end: number): Promise<void> => {
    while (ordered < end) {
      const customer = customers[ordered % customers.length];
      ordered += 1;
      if (customer === undefined) throw new Error('No orders are being placed.');
      const jobId = await orderUntilAccepted(calls, orderOf(customer, `op_kills_${ordered}`, anySpec(market, random)));
      jobs.push({ customer, jobId });
    }
  };
  let ordering: Promise<unknown> = Promise.resolve();
  return {
    async again() {
      await ordering;
      rounds += 1;
      ordering = Promise.all(Array.from({ length: ORDERS_AT_ONCE }, () => order(rounds * total)));
      ordering.catch(() => undefined);
    },
    async taken() {
      await ordering;
    },
    rounds: () => rounds,
  };
}

export interface KillSettings {
  readonly jobs: number;
  readonly kills: number;
  readonly pauseMs: readonly [least: number, most: number];
  readonly freezeMs: number;
  /** Time to reclaim a frozen worker's part, and for the remaining jobs. */
  readonly durationMsMax: number;
  readonly restMsMax: number;
  readonly pollMs: number;
  readonly pollsMin: number;
}

export interface KillScene extends OrderScene {
  readonly pool: Pool;
  readonly folder: string;
}

const ROUNDS_MAX = 4;

/**
 * Runs jobs while workers are killed, one is frozen, Redis loses its data and Postgres restarts.
 * @returns the jobs and the maximum number of repeated parts
 */
export async function killWorkers(
  scene: KillScene,
  settings: KillSettings,
  { random, report, say }: SuiteContext,
): Promise<{ readonly jobIds: readonly string[]; readonly remadeMax: number }> {
  const { system, pool } = scene;
  const jobs: PolledJob[] = [];
  const polls = pollResults(system.openCalls(), jobs, settings.pollMs, random);
  const orders = openOrders(scene, settings.jobs, jobs, random);
  let freezes = 0;
  const freeze = async (): Promise<FrozenWorker | undefined> => {
    const frozen = await freezeWhileMade(scene, orders, random);
    if (frozen !== undefined) freezes += 1;
    return frozen;
  };
  const refusedOf = async (frozen: FrozenWorker | undefined): Promise<number> =>
    (await frozen?.thawAfter(settings.freezeMs, settings.durationMsMax).catch(() => 0)) ?? 0;
  const frozen = await freeze();
  report.check(frozen !== undefined, 'No worker was frozen before a commit.');
  say(`ordered ${jobs.length}; a worker is frozen before its commit`);
  const refusing = refusedOf(frozen);
  await killAll(scene, settings, frozen, random, say);
  let refused = await refusing;
  // If Postgres restarted before the commit, its connection may be lost: the commit fails instead of being refused.
  while (refused === 0 && orders.rounds() < ROUNDS_MAX) refused = await refusedOf(await freeze());
  await orders.taken();
  report.check(refused > 0, 'No commit of an old try was refused.');
  report.figure('commits of old tries refused', refused);
  const isOver = await comesTrue(async () => (await openJobs(pool)) === 0, { limitMs: settings.restMsMax, everyMs: 100 });
  report.check(isOver, `${await openJobs(pool)} jobs have not ended.`);
  const { total, whole, faults } = await polls.stop();
  report.fail(...firstOf(faults, 5));
  report.checkTime(total >= settings.pollsMin, `Only ${total} polls were made.`);
  report.figure('polls of results', `${total}, ${whole} with a result, always complete`);
  // A kill repeats a worker's current part; a freeze may too, and a Postgres restart one per worker.
  return { jobIds: jobs.map(({ jobId }) => jobId), remadeMax: settings.kills + freezes + system.workers.length };
}

/** Freezes a worker before its commit. Jobs may all end first; then another round is ordered. */
async function freezeWhileMade(
  { pool, system: { workers }, folder }: KillScene,
  orders: Orders,
  random: () => number,
): Promise<FrozenWorker | undefined> {
  while (orders.rounds() < ROUNDS_MAX) {
    await orders.again();
    const frozen = await freezeBeforeCommit({ pool, workers, folder, random });
    if (frozen !== undefined) return frozen;
  }
  return undefined;
}

async function killAll(
  { market: { stores }, system }: KillScene,
  { kills, pauseMs: [least, most] }: KillSettings,
  frozen: FrozenWorker | undefined,
  random: () => number,
  say: (line: string) => void,
): Promise<void> {
  const others: readonly KillableProcess[] = system.workers.filter((worker) => worker !== frozen?.worker);
  let restarting: Promise<void> = Promise.resolve();
  for (let kill = 1; kill <= kills; kill += 1) {
    await delay(least + random() * (most - least));
    await oneOf(others, random)?.killAndRestart();
    if (kill === Math.ceil(kills / 4)) await flushRedis(stores.redisUrl);
    if (kill === Math.ceil(kills / 2)) restarting = restartPostgres(stores);
    if (kill % 10 === 0 || kill === kills) say(`kill ${kill} of ${kills}`);
  }
  await restarting;
}

import { delay } from '@market-state/lifecycle';
import { comesTrue, flushRedis, type KillableProcess, oneOf, restartPostgres } from '@market-state/testing';
import type { Pool } from 'pg';
import { firstOf, type SuiteContext } from '../harness';
import { freezeBeforeCommit, type FrozenWorker } from './disturb';
import { openJobs } from './job-rows';
import { openOrders, type OrderScene, type Orders } from './order-rounds';
import { type PolledJob, pollResults } from './polls';

/** How the workers are disturbed. */
export interface KillSettings {
  readonly jobs: number;
  readonly kills: number;
  /** Pause before a kill, milliseconds. */
  readonly pauseMs: readonly [least: number, most: number];
  readonly freezeMs: number;
  /** Time for a frozen worker's part to be taken back, and for the rest of the jobs, milliseconds. */
  readonly takenMsMax: number;
  readonly restMsMax: number;
  readonly pollMs: number;
  readonly pollsMin: number;
}

export interface KillScene extends OrderScene {
  /** Database of the export service. */
  readonly pool: Pool;
  /** Folder of the store. */
  readonly folder: string;
}

/** Rounds of orders in which a worker may be frozen. */
const ROUNDS_MAX = 4;

/**
 * Has jobs made while workers are killed, one is frozen, Redis forgets and Postgres restarts.
 * @returns the jobs, and how many parts that may have cost
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
    (await frozen?.thawAfter(settings.freezeMs, settings.takenMsMax).catch(() => 0)) ?? 0;
  const frozen = await freeze();
  report.check(frozen !== undefined, 'No worker was frozen before a commit.');
  say(`ordered ${jobs.length}; a worker is frozen before its commit`);
  const refusing = refusedOf(frozen);
  await killAll(scene, settings, frozen, random, say);
  let refused = await refusing;
  // Where Postgres restarted before the commit, its connection may be lost: it fails and is not refused.
  while (refused === 0 && orders.rounds() < ROUNDS_MAX) refused = await refusedOf(await freeze());
  await orders.taken();
  report.check(refused > 0, 'No commit of an old try was refused.');
  report.figure('commits of old tries refused', refused);
  const isOver = await comesTrue(async () => (await openJobs(pool)) === 0, { limitMs: settings.restMsMax, everyMs: 100 });
  report.check(isOver, `${await openJobs(pool)} jobs have not ended.`);
  const { total, whole, faults } = await polls.stop();
  report.fail(...firstOf(faults, 5));
  report.checkTime(total >= settings.pollsMin, `Only ${total} polls were made.`);
  report.figure('polls of results', `${total}, ${whole} with a result, always whole`);
  // A kill costs the part that a worker makes; so may a freeze, and the restart of Postgres for each worker.
  return { jobIds: jobs.map(({ jobId }) => jobId), remadeMax: settings.kills + freezes + system.workers.length };
}

/** Freezes a worker before its commit. All jobs may be over before the moment of one came: then as many are ordered again. */
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

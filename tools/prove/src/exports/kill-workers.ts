import { delay } from '@market-state/lifecycle';
import { comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';
import { firstOf, flushRedis, type KillableProcess, oneOf, type ProofContext, restartPostgres } from '../harness';
import { freezeBeforeCommit, type FrozenWorker } from './disturb';
import type { Customer, ExportSystem } from './export-system';
import { openJobs } from './job-rows';
import type { ExportMarket } from './market';
import { anySpec, orderOf, orderUntilTaken } from './orders';
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

export interface KillScene {
  readonly market: ExportMarket;
  readonly system: ExportSystem;
  readonly customers: readonly Customer[];
  /** Database of the export service. */
  readonly pool: Pool;
  /** Folder of the store. */
  readonly folder: string;
}

/** Orders at once: planning counts rows. */
const ORDERS_AT_ONCE = 4;
const ROUNDS_MAX = 4;

/**
 * Has jobs made while workers are killed, one is frozen, Redis forgets and Postgres restarts.
 * @returns the jobs, and how many parts that may have cost
 */
export async function killWorkers(
  scene: KillScene,
  settings: KillSettings,
  { random, report, say }: ProofContext,
): Promise<{ readonly jobIds: readonly string[]; readonly remadeMax: number }> {
  const { system, pool, folder } = scene;
  const jobs: PolledJob[] = [];
  const polls = pollResults(system.openCalls(), jobs, settings.pollMs, random);
  let ordering: Promise<void> = Promise.resolve();
  let frozen: FrozenWorker | undefined;
  // All jobs may be over before the moment of one came: then as many are ordered again.
  for (let round = 0; frozen === undefined && round < ROUNDS_MAX; round += 1) {
    await ordering;
    ordering = orderAll(scene, { from: round * settings.jobs, total: settings.jobs }, jobs, random);
    ordering.catch(() => undefined);
    frozen = await freezeBeforeCommit({ pool, workers: system.workers, folder, random });
  }
  report.check(frozen !== undefined, 'No worker was frozen before a commit.');
  say(`ordered ${jobs.length}; a worker is frozen before its commit`);
  const refusing = frozen?.thawAfter(settings.freezeMs, settings.takenMsMax).catch(() => 0) ?? Promise.resolve(0);
  await killAll(scene, settings, frozen, random, say);
  await ordering;
  const refused = await refusing;
  report.check(refused > 0, 'No commit of an old try was refused.');
  report.figure('commits of old tries refused', refused);
  const isOver = await comesTrue(async () => (await openJobs(pool)) === 0, { limitMs: settings.restMsMax, everyMs: 100 });
  report.check(isOver, `${await openJobs(pool)} jobs have not ended.`);
  const { total, whole, faults } = await polls.stop();
  report.fail(...firstOf(faults, 5));
  report.checkTime(total >= settings.pollsMin, `Only ${total} polls were made.`);
  report.figure('polls of results', `${total}, ${whole} with a result, always whole`);
  // A kill costs the part that a worker makes; so may the freeze, and the restart of Postgres for each worker.
  return { jobIds: jobs.map(({ jobId }) => jobId), remadeMax: settings.kills + 1 + system.workers.length };
}

async function orderAll(
  { market, system, customers }: KillScene,
  { from, total }: { readonly from: number; readonly total: number },
  jobs: PolledJob[],
  random: () => number,
): Promise<void> {
  const calls = system.openCalls();
  let ordered = from;
  const order = async (): Promise<void> => {
    while (ordered < from + total) {
      const customer = customers[ordered % customers.length];
      ordered += 1;
      if (customer === undefined) throw new Error('Nobody orders.');
      const jobId = await orderUntilTaken(calls, orderOf(customer, `op_kills_${ordered}`, anySpec(market, random)));
      jobs.push({ customer, jobId });
    }
  };
  await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, order));
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

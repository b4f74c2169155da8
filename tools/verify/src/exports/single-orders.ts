import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { exports } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { atOnce, comesTrue, rounded, type Tenant } from '@market-state/testing';
import type { Pool } from 'pg';
import { firstOf, type SuiteContext } from '../harness';
import { type Exports, mayPass, orderOf, orderUntilAccepted, specOf } from './export-system';
import type { KillScene } from './kill-workers';

const { Compression, Dataset, FileFormat, JobStatus } = exports;
/** One client has at most 100 calls in flight. */
const CALLS_PER_CALLER = 100;
const READY_MS_MAX = 120_000;
const ANSWER_MS_MAX = 1_000;
const IDLE_MS_MAX = 2_000;

export interface SingleScene extends KillScene {
  readonly ledger: Pool;
}

/** Many equal concurrent orders create one job, one hold and one receipt. @returns the job */
export async function orderEqually(
  { market, system, customers, pool, ledger }: SingleScene,
  total: number,
  { report }: SuiteContext,
): Promise<string[]> {
  const [customer] = customers;
  if (customer === undefined) return [];
  const operationId = 'op_equal';
  const order = orderOf(customer, operationId, specOf({ dataset: Dataset.TRADES, fromMs: market.startMs, toMs: market.endMs }));
  const callers = Array.from({ length: Math.ceil(total / CALLS_PER_CALLER) }, () => system.openCalls());
  const answers = await atOnce(total, async (at) => {
    const calls = callers[at % callers.length] ?? system.calls;
    return calls.createJob(order).then(
      ({ job }) => job?.jobId ?? 'refused',
      (error: unknown) => (mayPass(error) ? 'later' : String(error)),
    );
  });
  const jobId = await orderUntilAccepted(system.calls, order);
  const others = [...new Set(answers)].filter((answer) => answer !== jobId && answer !== 'later');
  report.fail(
    ...firstOf(
      others.map((answer) => `An equal order got ${answer} instead of ${jobId}.`),
      5,
    ),
  );
  await untilEnded(system.calls, customer, jobId);
  const jobs = await countOf(pool, 'SELECT count(*)::int AS total FROM export_job WHERE operation_id = $1', operationId);
  const holds = await countOf(ledger, 'SELECT count(*)::int AS total FROM credit_hold WHERE operation_id = $1', operationId);
  const receipts = await countOf(ledger, 'SELECT count(*)::int AS total FROM receipt WHERE operation_id = $1', operationId);
  const said = `${jobs} job, ${holds} hold, ${receipts} receipt of ${total} equal orders`;
  report.check(jobs === 1 && holds === 1 && receipts === 1, `There are ${said}.`);
  report.figure('equal orders', `${said}; ${answers.filter((answer) => answer === jobId).length} answered on the first call`);
  return [jobId];
}

export async function orderAboveQuote({ market, system, customers, pool, ledger }: SingleScene, { report }: SuiteContext): Promise<void> {
  const [customer] = customers;
  if (customer === undefined) return;
  const operationId = 'op_above';
  const order = orderOf(customer, operationId, specOf({ dataset: Dataset.TRADES, fromMs: market.startMs, toMs: market.endMs }));
  const { job, aboveBound, exportCredits } = await system.calls.createJob({ ...order, exportCreditsMax: 0 });
  report.check(job === undefined && aboveBound && exportCredits > 0, "An order above the caller's limit was not refused.");
  const kept = [
    await countOf(pool, 'SELECT count(*)::int AS total FROM export_job WHERE operation_id = $1', operationId),
    await countOf(pool, 'SELECT count(*)::int AS total FROM reservation WHERE operation_id = $1', operationId),
    await countOf(ledger, 'SELECT count(*)::int AS total FROM credit_hold WHERE operation_id = $1', operationId),
    await countOf(ledger, 'SELECT count(*)::int AS total FROM credit_reservation WHERE operation_id = $1', operationId),
  ];
  report.check(kept.join('') === '0000', `A refused order left rows: ${kept.join(', ')}.`);
  report.figure('order above its limit', `costs ${exportCredits}, limit 0: refused, ${kept.join(' + ')} rows left`);
}

/** A job cancelled while its file is written ends immediately and costs nothing. @returns the job */
export async function cancelMidCopy(
  { market, system, customers, ledger, folder }: SingleScene,
  { report }: SuiteContext,
): Promise<string[]> {
  const [customer] = customers;
  if (customer === undefined) return [];
  const { tenantId } = customer;
  const spec = specOf({
    dataset: Dataset.BOOK,
    symbols: market.symbols.slice(0, 1),
    fromMs: market.startMs,
    toMs: market.endMs,
    format: FileFormat.NDJSON,
    compression: Compression.GZIP,
  });
  const operationId = 'op_cancelled';
  // Killed workers leave files too.
  const before = filesStarted(folder);
  const jobId = await orderUntilAccepted(system.calls, orderOf(customer, operationId, spec));
  const isStarted = (): boolean => filesStarted(folder).some((name) => name.endsWith('.ndjson.gz') && !before.includes(name));
  const isWriting = await comesTrue(isStarted, { limitMs: READY_MS_MAX, everyMs: 2 });
  report.check(isWriting, 'The job to be cancelled did not start.');
  const startedMs = performance.now();
  const { job } = await system.calls.cancelJob({ tenantId, jobId });
  const answerMs = performance.now() - startedMs;
  await comesTrue(() => !isStarted(), { limitMs: READY_MS_MAX, everyMs: 10 });
  const idleMs = performance.now() - startedMs;
  report.check(job?.status === JobStatus.CANCELLED, `A running job is ${job?.status} after it was cancelled.`);
  report.checkTime(answerMs <= ANSWER_MS_MAX, `Cancelling took ${rounded(answerMs)} ms.`);
  report.checkTime(idleMs <= IDLE_MS_MAX, `The worker became idle ${rounded(idleMs)} ms later.`);
  const charged = await countOf(ledger, 'SELECT count(*)::int AS total FROM receipt WHERE operation_id = $1', operationId);
  report.check(charged === 0, 'A cancelled job was charged.');
  report.figure(
    'cancelled while a file is written',
    `answer ${rounded(answerMs)} ms, worker idle ${rounded(idleMs)} ms, ${charged} receipts`,
  );
  return [jobId];
}

/** Every call treats another tenant's job as nonexistent. */
export async function askForOthers(
  { system, customers: [owner, other] }: SingleScene,
  jobId: string,
  { report }: SuiteContext,
): Promise<void> {
  if (owner === undefined || other === undefined) return;
  const { calls } = system;
  const { tenantId } = other;
  const name = 'manifest.json';
  const requested: Readonly<Record<string, () => Promise<unknown>>> = {
    getJob: () => calls.getJob({ tenantId, jobId }),
    cancelJob: () => calls.cancelJob({ tenantId, jobId }),
    getResult: () => calls.getResult({ tenantId, jobId }),
    getReviewPack: () => calls.getReviewPack({ tenantId, jobId }),
    getFile: () => calls.getFile({ tenantId, jobId, name }),
    readFile: () => readAll(calls, { tenantId, jobId, name, fromByte: 0, toByte: 0 }),
  };
  for (const [method, ask] of Object.entries(requested)) {
    const found = await ask().then(
      () => 'an answer',
      (error: unknown) => (isServiceError(error, 'unknown_job') ? undefined : String(error)),
    );
    report.check(found === undefined, `${method} of another tenant's job: ${found}.`);
  }
  const { jobs } = await calls.listJobs({ tenantId, statuses: [], pageSize: 100, pageToken: '' });
  report.check(!jobs.some((job) => job.jobId === jobId), "A list contains another tenant\'s job.");
  const manifestBytes = await readAll(calls, { tenantId: owner.tenantId, jobId, name, fromByte: 0, toByte: 0 });
  report.check(manifestBytes > 0, 'The owner cannot read the manifest.');
  report.figure('methods refused to another tenant', Object.keys(requested).length);
}

async function readAll(calls: Exports, request: exports.ReadFileRequest): Promise<number> {
  let bytes = 0;
  for await (const { data } of calls.readFile(request)) bytes += data.length;
  return bytes;
}

/** @returns the job's final state */
export async function untilEnded(
  calls: Exports,
  { tenantId }: Tenant,
  jobId: string,
  limitMs = READY_MS_MAX,
): Promise<exports.Job | undefined> {
  let job: exports.Job | undefined;
  const isEnded = async (): Promise<boolean> => {
    ({ job } = await calls.getJob({ tenantId, jobId }));
    return job !== undefined && ![JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.PUBLISHING].includes(job.status);
  };
  await comesTrue(isEnded, { limitMs, everyMs: 50 });
  return job;
}

export function filesStarted(folder: string): string[] {
  const scratch = join(folder, '.scratch');
  return namesIn(scratch).flatMap((own) => namesIn(join(scratch, own)).map((name) => `${own}/${name}`));
}

/** Returns [] if the folder is missing or is removed during the call. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function countOf(pool: Pool, statement: string, id: string): Promise<number> {
  return (await pool.query<{ total: number }>(statement, [id])).rows[0]?.total ?? 0;
}

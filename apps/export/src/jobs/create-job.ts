import { randomBytes } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { newId } from '@market-state/credentials';
import { isServiceError, resourceExhausted, type ServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { PRICE_VERSION } from '@market-state/pricing';
import type { Pool } from 'pg';
import type { ExportPlan } from '../planning/plan-export';
import { advance, countQueued, findJobOfOperation, insertJob, lockTenant, endReservation, noteReservation } from '../store/jobs';
import type { Upstreams } from '../upstreams';
import { type ExportQueue, workOfPublication } from './export-queue';
import type { Job, JobCaller } from './job';
import { queueNext } from './queue-next';

const QUEUED_MAX = 20;
const RETRY_AFTER_S = 15;
/** An hour longer than a job may take. */
const RESERVED_MS = 13 * 3_600_000;

interface CreateJobDeps extends Pick<Upstreams, 'credits'> {
  readonly pool: Pool;
  readonly queue: ExportQueue;
  readonly clock: () => number;
  readonly logger: Logger;
}

interface Order {
  readonly operationId: string;
  readonly requestId: string;
  readonly caller: JobCaller;
  readonly planId: string;
  readonly quoteId: string;
  readonly request: unknown;
  readonly plan: ExportPlan;
}

type Created = { readonly job: Job } | { readonly refusal: account.Refusal };

/**
 * Reserves credits and queues a job. Maintenance releases credits whose job was never written. An equal order returns
 * the existing job, even if it has ended.
 * @throws ServiceError `too_many_jobs`
 */
export async function createJob(deps: CreateJobDeps, order: Order): Promise<Created> {
  const { pool, queue, clock } = deps;
  const { operationId } = order;
  await noteReservation(pool, operationId, clock());
  const reserved = await reserve(deps, order).catch(async (error: unknown) => {
    const job = isServiceError(error, 'reservation_over') ? await findEqual(pool, order) : undefined;
    if (job === undefined) throw error;
    return { job };
  });
  if (reserved !== undefined) {
    await endReservation(pool, operationId);
    return reserved;
  }
  const job = await writeJob(deps, order).catch(async (error: unknown) => {
    await giveBack(deps, operationId);
    throw error;
  });
  if (job.partTotal === 0) await queue.add([workOfPublication(job.jobId)]);
  else await queueNext(deps, order.caller.tenantId);
  return { job };
}

async function findEqual(pool: Pool, { operationId, caller }: Order): Promise<Job | undefined> {
  const job = await findJobOfOperation(pool, operationId);
  return job?.tenantId === caller.tenantId ? job : undefined;
}

async function reserve({ credits, clock }: CreateJobDeps, order: Order): Promise<{ readonly refusal: account.Refusal } | undefined> {
  const { operationId, requestId, caller, quoteId, plan } = order;
  const { reserved, refusal } = await credits.call.reserve({
    operationId,
    requestId,
    caller,
    priced: {
      method: 'POST',
      route: '/api/public/data/export/jobs',
      workloadFamily: 'export_job',
      priceVersion: PRICE_VERSION,
      estimatedMarketStateCredits: 0,
      observedMarketStateCredits: 0,
      estimatedExportCredits: plan.credits,
      observedExportCredits: 0,
      quoteId,
      artifactIds: [],
    },
    expiresTsMs: clock() + RESERVED_MS,
  });
  if (reserved) return undefined;
  if (refusal === undefined) throw new Error('account refused credits without a reason');
  return { refusal };
}

function writeJob({ pool, clock }: CreateJobDeps, order: Order): Promise<Job> {
  const { operationId, caller, plan } = order;
  const nowMs = clock();
  return inTransaction(pool, async (client) => {
    await lockTenant(client, caller.tenantId);
    const earlier = await findJobOfOperation(client, operationId);
    if (earlier !== undefined) {
      await endReservation(client, operationId);
      return earlier;
    }
    await refuseCrowd(client, caller.tenantId);
    if (!(await endReservation(client, operationId))) throw new Error('the credits were released before the job was written');
    await insertJob(client, {
      ...order,
      jobId: newId('exp', randomBytes),
      spec: plan.spec,
      symbols: plan.symbols,
      planDigest: plan.digest,
      rowTotal: plan.rowTotal,
      byteTotal: plan.byteTotal,
      estimatedCredits: plan.credits,
      createdMs: nowMs,
      parts: plan.parts,
    });
    const job = await findJobOfOperation(client, operationId);
    if (job === undefined) throw new Error('a stored job is missing');
    // A plan without rows has no parts, so only publishing remains.
    return plan.parts.length > 0 ? job : ((await advance(client, job.jobId, { to: 'running', nowMs })) ?? job);
  });
}

/** On failure maintenance does it later. */
async function giveBack(deps: CreateJobDeps, operationId: string): Promise<void> {
  await giveBackReserved(deps, operationId).catch((error: unknown) =>
    deps.logger.warn({ err: error, operation_id: operationId }, 'releasing credits failed; will retry'),
  );
}

/**
 * Releases credits reserved for a job that was not written. Locks the reservation note, so that an order about to write
 * its job waits, finds the note gone and writes none. A note left by an equal order is deleted, and the existing job
 * keeps its credits.
 */
export function giveBackReserved(
  { pool, credits }: Pick<Upstreams, 'credits'> & { readonly pool: Pool },
  operationId: string,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    const noted = await endReservation(client, operationId);
    if (noted && (await findJobOfOperation(client, operationId)) === undefined) await credits.call.release({ operationId });
  });
}

export function tooManyJobs(): ServiceError {
  return resourceExhausted('too_many_jobs', `Export queue limit reached (${QUEUED_MAX} jobs).`, {
    metadata: { retry_after_s: String(RETRY_AFTER_S) },
  });
}

export async function refuseCrowd(on: Queryable, tenantId: string): Promise<void> {
  if ((await countQueued(on, tenantId)) >= QUEUED_MAX) throw tooManyJobs();
}

import { resourceExhausted, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { countQueued } from '../store/jobs';

/** Queued jobs per tenant. */
const QUEUED_MAX = 20;
/** Seconds after which a refused job may be ordered again. */
const RETRY_AFTER_S = 15;

/** The error of an order beyond the queue limit. */
export function tooManyJobs(): ServiceError {
  return resourceExhausted('too_many_jobs', `Export queue limit reached (${QUEUED_MAX} jobs).`, {
    metadata: { retry_after_s: String(RETRY_AFTER_S) },
  });
}

/** @throws ServiceError RESOURCE_EXHAUSTED `too_many_jobs` when the tenant's queue is full */
export async function refuseCrowd(on: Queryable, tenantId: string): Promise<void> {
  if ((await countQueued(on, tenantId)) >= QUEUED_MAX) throw tooManyJobs();
}

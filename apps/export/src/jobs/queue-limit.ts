import { resourceExhausted, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { countQueued } from '../store/jobs';

/** Jobs of a tenant that wait to begin. */
const QUEUED_MAX = 20;
/** Seconds after which a refused job may be ordered again. */
const RETRY_AFTER_S = 15;

/** The refusal of an order of a tenant that has enough of them under way. */
export function tooManyJobs(): ServiceError {
  return resourceExhausted('too_many_jobs', `${QUEUED_MAX} export jobs are queued, as many as may be.`, {
    metadata: { retry_after_s: String(RETRY_AFTER_S) },
  });
}

/** @throws ServiceError RESOURCE_EXHAUSTED `too_many_jobs` where as many jobs of the tenant are queued as may be */
export async function refuseCrowd(on: Queryable, tenantId: string): Promise<void> {
  if ((await countQueued(on, tenantId)) >= QUEUED_MAX) throw tooManyJobs();
}

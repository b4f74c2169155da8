import { type Queryable, run } from '@market-state/postgres';
import { newId } from '../jobs/ids';
import type { Job } from '../jobs/job';
import { tables } from './tables';

/** Tells others, in the transaction of the change, that a job has ended; told again it changes nothing. */
export async function tellFinished(on: Queryable, job: Job, nowMs: number): Promise<void> {
  const { jobId, tenantId, status, rowsMade, bytesMade, observedCredits, errorReason, spec } = job;
  const payload = {
    job_id: jobId,
    status,
    dataset: spec.dataset,
    symbols: spec.symbols,
    row_total: rowsMade,
    byte_total: bytesMade,
    observed_export_credit_cost: observedCredits,
    error: errorReason,
  };
  await run(
    on,
    tables
      .insertInto('outbox')
      .values({
        id: newId('out'),
        tenant_id: tenantId,
        kind: 'export.finished',
        occasion: `export.finished ${jobId}`,
        payload: JSON.stringify(payload),
        created_ms: String(nowMs),
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'occasion']).doNothing()),
  );
}

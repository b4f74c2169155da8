import { exports } from '@market-state/contracts';
import type { ExportUnderTest } from './export-under-test';

const { JobStatus } = exports;

async function count(test: ExportUnderTest, table: 'export_job' | 'reservation' | 'outbox', where = 'true'): Promise<number> {
  const { rows } = await test.pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM ${table} WHERE ${where}`);
  return rows[0]?.total ?? 0;
}

/** Sends equal orders concurrently and expects one job, one reservation and one charge. */
export async function expectOneJob(test: ExportUnderTest, orderTotal: number): Promise<void> {
  const { credits } = test.upstreams;
  const before = credits.charged.size;
  const answers = await Promise.all(
    Array.from({ length: orderTotal }, () =>
      test.order({}, { operationId: 'op_equal' }).catch((error: { reason: string }) => ({ job: undefined, reason: error.reason })),
    ),
  );
  const ids = new Set(answers.flatMap(({ job }) => job?.jobId ?? []));
  expect(ids.size).toBe(1);
  const [jobId = ''] = ids;
  expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
  expect(await count(test, 'export_job', `operation_id = 'op_equal'`)).toBe(1);
  expect(credits.charged.size).toBe(before + 1);
  expect(credits.reserved.size).toBe(0);
  expect(await count(test, 'reservation')).toBe(0);
  expect(await count(test, 'outbox', `occasion = 'export.finished ${jobId}'`)).toBe(1);
}

import { exports } from '@market-state/contracts';
import { type ExportUnderTest, startExportUnderTest } from './export-under-test';

const { JobStatus } = exports;

let test: ExportUnderTest;

beforeAll(async () => {
  test = await startExportUnderTest();
});

afterAll(() => test?.close());

async function total(table: 'export_job' | 'reservation' | 'outbox', where = 'true'): Promise<number> {
  const { rows } = await test.pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM ${table} WHERE ${where}`);
  return rows[0]?.total ?? 0;
}

it('200 equal orders at once are one job, one reservation and one charge', async () => {
  const { credits } = test.neighbours;
  const before = credits.charged.size;
  const answers = await Promise.all(
    Array.from({ length: 200 }, () =>
      test.order({}, { operationId: 'op_equal' }).catch((error: { reason: string }) => ({ job: undefined, reason: error.reason })),
    ),
  );
  const ids = new Set(answers.flatMap(({ job }) => job?.jobId ?? []));
  expect(ids.size).toBe(1);
  const [jobId = ''] = ids;
  expect((await test.ended(jobId)).status).toBe(JobStatus.READY);
  expect(await total('export_job', `operation_id = 'op_equal'`)).toBe(1);
  expect(credits.charged.size).toBe(before + 1);
  expect(credits.reserved.size).toBe(0);
  expect(await total('reservation')).toBe(0);
  expect(await total('outbox', `occasion = 'export.finished ${jobId}'`)).toBe(1);
});

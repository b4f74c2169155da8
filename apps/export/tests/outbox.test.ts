import type { exports } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { type ExportUnderTest, startExportUnderTest, TENANT } from './export-under-test';
import { DAY_1_MS, DAY_MS, SYMBOL } from './trades-market';

let test: ExportUnderTest;

beforeAll(async () => {
  test = await startExportUnderTest();
});

afterAll(() => test?.close());

const WRITE = `INSERT INTO outbox (id, tenant_id, kind, occasion, payload, created_ms) VALUES ($1, 'ten_one', 'k', $1, '{}', $2)`;
const list = async (): Promise<exports.OutboxEntry[]> => (await test.outbox.listOutbox({ pageSize: 1_000 })).entries;
const bodyOf = ({ payload }: exports.OutboxEntry): unknown => JSON.parse(payload.toString());
const take = (entries: readonly exports.OutboxEntry[]) => test.outbox.ackOutbox({ ids: entries.map(({ id }) => id) });

it('each end of a job is listed once with what a customer needs, until it is acknowledged', async () => {
  const made = await test.done();
  await test.stopWorker();
  const { job } = await test.order({ fromMs: DAY_1_MS + DAY_MS });
  const { job: cancelled } = await test.call.cancelJob({ tenantId: TENANT, jobId: job?.jobId ?? '' });
  await test.startWorker();
  const entries = await list();
  expect(entries.map(({ tenantId, kind, occasion }) => ({ tenantId, kind, occasion }))).toEqual(
    [made, cancelled].map((ended) => ({ tenantId: TENANT, kind: 'export.finished', occasion: `export.finished ${ended?.jobId}` })),
  );
  const utc = (ms = 0): string => new Date(ms).toISOString();
  const common = { dataset: 'trades', symbols: [SYMBOL], from_utc: utc(DAY_1_MS), format: 'parquet', error: null };
  expect(entries.map(bodyOf)).toEqual([
    {
      ...common,
      job_id: made.jobId,
      status: 'ready',
      to_utc: utc(made.spec?.toMs),
      row_total: 1_560,
      byte_total: made.byteTotal,
      estimated_export_credit_cost: 2,
      observed_export_credit_cost: 2,
      credit_state: 'charged',
      receipt_id: made.receiptId,
      created_at_utc: utc(made.createdMs),
      finished_at_utc: utc(made.finishedMs),
      expires_at_utc: utc(made.expiresMs),
    },
    {
      ...common,
      job_id: job?.jobId,
      status: 'cancelled',
      from_utc: utc(DAY_1_MS + DAY_MS),
      to_utc: utc(job?.spec?.toMs),
      row_total: null,
      byte_total: null,
      estimated_export_credit_cost: job?.estimatedExportCredits,
      observed_export_credit_cost: null,
      credit_state: 'released',
      receipt_id: null,
      created_at_utc: utc(job?.createdMs),
      finished_at_utc: utc(cancelled?.finishedMs),
      expires_at_utc: null,
    },
  ]);
  expect(await list()).toEqual(entries);
  await take(entries);
  await take(entries);
  expect(await list()).toEqual([]);
});

it('an event that is committed late is listed, though others after it were taken', async () => {
  const late = await test.pool.connect();
  // Recent: maintenance deletes old events.
  const lateMs = Date.now() - 60_000;
  try {
    await late.query('BEGIN');
    await late.query(WRITE, ['late', lateMs]);
    await test.pool.query(WRITE, ['early', Date.now()]);
    const first = await list();
    expect(first.map(({ id }) => id)).toEqual(['early']);
    await take(first);
    await late.query('COMMIT');
    const second = await list();
    expect(second.map(({ id, createdTsMs }) => [id, createdTsMs])).toEqual([['late', lateMs]]);
    await take(second);
  } finally {
    late.release();
  }
});

it('a bad page size and ids that are none are refused', async () => {
  await expect(test.outbox.listOutbox({ pageSize: 1_001 })).rejects.toMatchObject({ faults: [{ field: 'page_size' }] });
  await expect(test.outbox.ackOutbox({ ids: ['out_1', ''] })).rejects.toMatchObject({ faults: [{ field: 'ids[1]' }] });
});

it('events are kept for 30 days, taken or not', async () => {
  const nowMs = Date.now();
  const idsOf = async (): Promise<string[]> =>
    (await test.pool.query<{ id: string }>(`SELECT id FROM outbox WHERE kind = 'k' ORDER BY id`)).rows.map(({ id }) => id);
  await test.stopWorker();
  await test.pool.query('DELETE FROM outbox');
  for (const id of ['old', 'old_taken', 'young', 'young_taken'])
    await test.pool.query(WRITE, [id, nowMs - (id.startsWith('old') ? 31 : 29) * DAY_MS]);
  await test.pool.query(`UPDATE outbox SET taken_ms = created_ms WHERE id LIKE '%_taken'`);
  await test.startWorker();
  await waitUntil('old events are gone', async () => (await idsOf()).length === 2);
  expect(await idsOf()).toEqual(['young', 'young_taken']);
});

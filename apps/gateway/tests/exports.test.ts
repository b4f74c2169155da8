import { account as accountContract, exports as contract } from '@market-state/contracts';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { READY_JOB } from './stand-in/export';
import type { RawResponse } from './stand-in/http-client';

const { Scope } = accountContract;
const { JobStatus } = contract;

const JOBS = '/api/public/data/export/jobs';

describe('export jobs', () => {
  let booted: BootedGateway;
  let othersKey: string;
  beforeAll(async () => {
    booted = await bootGateway();
    othersKey = booted.account.issue({ tenantId: 'ten_other', scopes: [Scope.READ, Scope.EXPORT] });
  });
  afterAll(() => booted.close());

  const order = (): Promise<RawResponse> => booted.keyed(JOBS, { method: 'POST' });

  it('are listed newest first, by status, page by page', async () => {
    for (let made = 0; made < 3; made += 1) await order();
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { readonly jobs: { readonly job_id: string }[]; readonly next_cursor: string | null } = (
        await booted.keyed(`${JOBS}?limit=2&cursor=${cursor}`)
      ).json();
      ids.push(...page.jobs.map(({ job_id: jobId }) => jobId));
      cursor = page.next_cursor;
    }
    expect(ids).toEqual(booted.exporter.jobs.listOf('ten_1', []).map(({ jobId }) => jobId));
    const ready = (await booted.keyed(`${JOBS}?status=ready`)).json<{ readonly jobs: readonly object[] }>();
    expect(ready.jobs).toEqual([expect.objectContaining({ job_id: READY_JOB, status: 'ready', credit_state: 'charged' })]);
    expect((await booted.keyed(`${JOBS}?limit=1001&status=done&cursor=x`)).json<{ detail: object[] }>().detail).toHaveLength(3);
    const strange = Buffer.from('["k"]').toString('base64url');
    expect((await booted.keyed(`${JOBS}?cursor=${strange}`)).json()).toMatchObject({
      detail: [{ loc: ['query', 'cursor'], msg: 'must be a next_cursor from an earlier response of this list' }],
    });
  });

  it('are listed a thousand at a time, though the service gives a hundred', async () => {
    const booking = booted.exporter.jobs;
    const one = booking.of('ten_1', READY_JOB);
    for (let made = 0; made < 250; made += 1) booking.add('ten_many', { ...one, jobId: `job_many_${made}` });
    const key = booted.account.issue({ tenantId: 'ten_many', scopes: [Scope.EXPORT] });
    const headers = { 'x-market-state-api-key': key };
    const whole = (await booted.get(`${JOBS}?limit=1000`, { headers })).json();
    expect(whole).toMatchObject({ row_total: 250, next_cursor: null });
    const part = (await booted.get(`${JOBS}?limit=150`, { headers })).json<{ jobs: object[]; next_cursor: string }>();
    expect([part.jobs.length, typeof part.next_cursor]).toEqual([150, 'string']);
  });

  it('are cancelled while they are queued, and left as they are once they are ready', async () => {
    const { job_id: jobId } = (await order()).json<{ readonly job_id: string }>();
    const cancelled = await booted.keyed(`${JOBS}/${jobId}`, { method: 'DELETE' });
    expect([cancelled.status, cancelled.json()]).toMatchObject([200, { status: 'cancelled', credit_state: 'released' }]);
    expect((await booted.keyed(`${JOBS}/${jobId}/result`)).json()).toMatchObject({ status: 409, code: 'job_cancelled' });
    expect((await booted.keyed(`${JOBS}/${READY_JOB}`, { method: 'DELETE' })).json()).toMatchObject({ status: 'ready' });
  });

  it.each<[contract.JobStatus, number, string]>([
    [JobStatus.QUEUED, 409, 'job_not_ready'],
    [JobStatus.RUNNING, 409, 'job_not_ready'],
    [JobStatus.PUBLISHING, 409, 'job_not_ready'],
    [JobStatus.FAILED, 409, 'job_failed'],
    [JobStatus.CANCELLED, 409, 'job_cancelled'],
    [JobStatus.EXPIRED, 410, 'job_expired'],
  ])('that are %s have neither result nor review pack nor files: %i %s', async (jobStatus, status, code) => {
    const { job_id: jobId } = (await order()).json<{ readonly job_id: string }>();
    booted.exporter.jobs.change(jobId, { status: jobStatus });
    for (const part of ['result', 'review-pack', 'files/manifest.json']) {
      const response = await booted.keyed(`${JOBS}/${jobId}/${part}`);
      expect([response.status, response.json()['code']]).toEqual([status, code]);
    }
  });

  it('that failed say why', async () => {
    const { job_id: jobId } = (await order()).json<{ readonly job_id: string }>();
    const error = { reason: 'storage_full', message: 'The store for results is full.' };
    booted.exporter.jobs.change(jobId, { status: JobStatus.FAILED, error });
    expect((await booted.keyed(`${JOBS}/${jobId}`)).json()).toMatchObject({ status: 'failed', error, credit_state: 'released' });
  });

  it('that are ready have a result with a route for each file, and a review pack', async () => {
    const result = (await booted.keyed(`${JOBS}/${READY_JOB}/result`)).json();
    expect(result).toMatchObject({
      job: { job_id: READY_JOB, status: 'ready', observed_export_credit_cost: 2 },
      file_total: 4,
      files: [
        { kind: 'data', symbol: 'BTCUSD-PERP', day_utc: '2026-01-01', rows: 8_640, first_time_utc: '2026-01-01T00:00:10.000Z' },
        { kind: 'support', symbol: null, day_utc: null, rows: null },
        { kind: 'support' },
        { kind: 'support' },
      ],
      manifest: { name: 'manifest.json' },
      checkable: true,
    });
    expect((await booted.keyed(`${JOBS}/${READY_JOB}/review-pack`)).json()).toMatchObject({
      job_id: READY_JOB,
      review_pack: { rows_delivered: 8_640 },
    });
  });

  it('of another tenant look like jobs that do not exist, on every route', async () => {
    const parts = ['', '/result', '/review-pack', '/files/manifest.json?expires=1&signature=x'];
    for (const [method, part] of [...parts.map((each) => ['GET', each]), ['DELETE', ''], ['HEAD', '/files/manifest.json']]) {
      const answers = await Promise.all(
        [READY_JOB, 'job_made_up'].map((jobId) =>
          booted.get(`${JOBS}/${jobId}${part}`, { method, headers: { 'x-market-state-api-key': othersKey, 'x-request-id': 'same' } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    }
    const list = await booted.get(JOBS, { headers: { 'x-market-state-api-key': othersKey } });
    expect(list.json()).toMatchObject({ jobs: [], next_cursor: null });
  });

  it('are refused to a sandbox key, and need the scope export', async () => {
    const sandbox = booted.account.issue({ kind: accountContract.KeyKind.TEST, scopes: [Scope.READ, Scope.EXPORT] }, 'test');
    expect((await booted.get(JOBS, { headers: { 'x-market-state-api-key': sandbox } })).json()).toMatchObject({ code: 'sandbox_refused' });
    const reader = booted.account.issue({ scopes: [Scope.READ] });
    expect((await booted.get(JOBS, { headers: { 'x-market-state-api-key': reader } })).json()).toMatchObject({
      code: 'insufficient_scope',
    });
  });

  it('leave a receipt of 0 when they are read', async () => {
    const response = await booted.keyed(`${JOBS}/${READY_JOB}`, { headers: { 'x-request-id': 'read-job' } });
    expect(response.headers['x-credits-charged']).toBe('0');
    await booted.until(() => booted.account.credits.receipts('ten_1').some(({ requestId }) => requestId === 'read-job'));
  });
});

it('is ready without the export service, whose routes are then 503', async () => {
  const booted = await bootGateway();
  await booted.exporter.close();
  expect((await booted.get('/readyz')).status).toBe(200);
  const response = await booted.keyed(JOBS);
  expect([response.status, response.json()['code'], response.headers['retry-after']]).toEqual([503, 'upstream_unavailable', '1']);
  await booted.close();
});

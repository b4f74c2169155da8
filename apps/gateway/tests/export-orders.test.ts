import { account as accountContract, exports as contract } from '@market-state/contracts';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { RECORDED_TO_MS } from './stand-in/export';
import type { RawResponse } from './stand-in/http-client';

const { Dataset, FileFormat, Compression } = contract;

const JOBS = '/api/public/data/export/jobs';
const ESTIMATE = '/api/public/market-state/usage/estimate';

interface Faults {
  readonly detail: readonly { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }[];
}

describe('orders of exports', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());
  afterEach(() => {
    booted.exporter.setRefusal(null);
    booted.exporter.setRowTotal(250_000);
  });

  const order = (body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> =>
    booted.keyed(JOBS, {
      method: 'POST',
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
  const estimate = (query: string): Promise<RawResponse> => booted.keyed(`${ESTIMATE}?route=${JOBS}${query}`);
  const faultsOf = (response: RawResponse) =>
    response
      .json<Faults>()
      .detail.map(({ loc }) => loc.join('.'))
      .sort();
  const lastOrder = () => booted.exporter.orders().at(-1);

  it('are ordered with the request as it was resolved, and the route of the job', async () => {
    const from = '2026-01-01T00:00:00Z';
    const response = await order({
      dataset: 'candles',
      symbols: ['ETHUSD-PERP'],
      from,
      format: 'csv',
      tf: '1h',
      columns: ['open', 'close'],
    });
    expect([response.status, response.headers['x-credits-charged']]).toEqual([200, '0']);
    const record = response.json<{ readonly job_id: string }>();
    expect(response.headers['location']).toBe(`${JOBS}/${record.job_id}`);
    expect(record).toMatchObject({
      status: 'queued',
      progress: 0,
      estimated_export_credit_cost: 4,
      observed_export_credit_cost: null,
      credit_state: 'reserved',
      started_at_utc: null,
      expires_at_utc: null,
      error: null,
      request: {
        dataset: 'candles',
        symbols: ['ETHUSD-PERP'],
        from_utc: '2026-01-01T00:00:00.000Z',
        to_utc: '2026-01-02T00:00:00.000Z',
        format: 'csv',
        compression: 'zstd',
        tf: '1h',
        depth: null,
        columns: ['open', 'close'],
      },
      routes: { job: `${JOBS}/${record.job_id}`, result: `${JOBS}/${record.job_id}/result` },
    });
    expect(lastOrder()).toMatchObject({ caller: { tenantId: 'ten_1' }, quoteId: '', exportCreditsMax: undefined });
    expect(lastOrder()?.operationId).toMatch(/^op_/);
    expect(lastOrder()?.spec).toMatchObject({ dataset: Dataset.CANDLES, intervalMs: 3_600_000, asOfMs: 0, format: FileFormat.CSV });
  });

  it.each([
    ['no body', undefined],
    ['null', null],
    ['an empty object', {}],
  ])('with %s are the default export', async (_what, body) => {
    const response = await order(body);
    expect(response.json()).toMatchObject({
      request: {
        dataset: 'packets',
        symbols: ['BTCUSD-PERP'],
        from_utc: new Date(RECORDED_TO_MS - 86_400_000).toISOString(),
        to_utc: new Date(RECORDED_TO_MS).toISOString(),
        format: 'parquet',
        compression: 'zstd',
      },
    });
    expect(lastOrder()?.spec).toEqual({
      dataset: Dataset.PACKETS,
      symbols: [],
      fromMs: 0,
      toMs: 0,
      asOfMs: 0,
      format: FileFormat.PARQUET,
      compression: Compression.ZSTD,
      intervalMs: 0,
      depth: 0,
      columns: [],
    });
  });

  it('are refused for every fault of the body at once, and no order is made', async () => {
    const before = booted.exporter.orders().length;
    const response = await order({
      dataset: 'trades',
      symbols: ['ALL', 'BTCUSD-PERP', 'BTCUSD-PERP'],
      from: '2026-01-02T00:00:00Z',
      to: '2026-01-01T00:00:00Z',
      format: 'csv',
      compression: 'snappy',
      tf: '1m',
      depth: 5,
      columns: ['price', 'side'],
    });
    expect(response.status).toBe(422);
    expect(faultsOf(response)).toEqual(
      ['columns', 'compression', 'depth', 'from', 'symbols', 'symbols.0', 'tf'].map((name) => `body.${name}`),
    );
    expect(booted.exporter.orders()).toHaveLength(before);
  });

  it.each<[string, object, string, RegExp]>([
    ['more than 31 days', { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00.001Z' }, 'body.to', /at most 31 days after from/],
    ['an unknown column', { dataset: 'trades', columns: ['side'] }, 'body.columns', /"side".*aggressor_side/],
    ['no symbols', { symbols: [] }, 'body.symbols', /fewer than 1 items/],
    ['an unknown dataset', { dataset: 'all', columns: ['side'], depth: 3 }, 'body.dataset', /one of/],
    ['a depth that is none', { dataset: 'book', depth: 0 }, 'body.depth', />= 1/],
    ['a span after what is recorded', { from: '2026-01-02T00:00:00Z' }, 'body.from', /before what is recorded/],
  ])('with %s are refused', async (_what, body, place, words) => {
    const response = await order(body);
    expect(response.status).toBe(422);
    expect(faultsOf(response)).toEqual([place]);
    expect(response.json<Faults>().detail[0]?.msg).toMatch(words);
  });

  it('of a symbol that is not served are 404, with those that are', async () => {
    const response = await order({ symbols: ['XRPUSD-PERP'] });
    expect(response.status).toBe(404);
    expect(response.json()).toMatchObject({ code: 'unknown_symbol', symbols_served: ['BTCUSD-PERP', 'ETHUSD-PERP'] });
  });

  it('that are refused cost nothing and say why', async () => {
    booted.exporter.setRefusal('result_too_large');
    const large = await order();
    expect([large.status, large.json<Faults>().detail]).toEqual([
      422,
      [
        {
          loc: ['body'],
          msg:
            'asks for about 2.0 GiB (2,147,483,648 bytes), but the plan allows 1.0 GiB (1,073,741,824 bytes) per export: choose fewer ' +
            'symbols, a shorter span or fewer columns',
          type: 'result_too_large',
        },
      ],
    ]);
    booted.exporter.setRefusal('too_many_jobs');
    const full = await order();
    expect([full.status, full.headers['retry-after'], full.json()['code']]).toEqual([429, '30', 'too_many_jobs']);
    booted.exporter.setRefusal('beyond_retention');
    expect((await order()).json()).toMatchObject({
      status: 410,
      code: 'beyond_retention',
      oldest_available_utc: '1970-01-01T00:00:01.000Z',
    });
    booted.exporter.setRefusal('nothing_recorded');
    expect((await order()).json()).toMatchObject({ status: 409, code: 'nothing_recorded' });
    booted.exporter.setRefusal({ control: accountContract.CreditControl.EXPORT_CREDIT_CAP, available: 3, resetsTsMs: 0 });
    const refused = await order();
    expect([refused.status, refused.headers['x-credits-charged']]).toEqual([402, '0']);
    expect(refused.json()).toMatchObject({
      code: 'export_credit_cap',
      control: 'export_credit_cap',
      needed: 4,
      available: 3,
      detail: 'This call needs 4 export credits, but the spend control export_credit_cap leaves 3. Nothing was charged.',
    });
  });

  it('under one Idempotency-Key are one job, and its answer is repeated with its route', async () => {
    const body = { symbols: ['ETHUSD-PERP'] };
    const first = await order(body, { 'idempotency-key': 'order-1' });
    const again = await order(body, { 'idempotency-key': 'order-1' });
    expect([again.status, again.headers['idempotency-replayed'], again.headers['x-credits-charged'], again.text]).toEqual([
      200,
      'true',
      '0',
      first.text,
    ]);
    expect(again.headers['location']).toBe(first.headers['location']);
    const ordered = booted.exporter.orders().filter(({ operationId }) => operationId === lastOrder()?.operationId);
    expect(ordered).toHaveLength(1);
    expect((await order({ symbols: ['BTCUSD-PERP'] }, { 'idempotency-key': 'order-1' })).status).toBe(422);
  });

  it('are quoted for free with rows, bytes and parts, and the quote binds the order however it is written', async () => {
    const before = booted.exporter.orders().length;
    const quoted = await estimate('&dataset=trades&symbols=BTCUSD-PERP,ETHUSD-PERP&columns=price&columns=size&from=1767225600000');
    expect(quoted.status).toBe(200);
    const answer = quoted.json<{ readonly quote_id: string }>();
    expect(answer).toMatchObject({
      method: 'POST',
      workload_family: 'export_job',
      estimated_export_credit_cost: 4,
      estimated_market_state_credit_cost: 0,
      estimate_basis: '1 credit plus 1 for each started 100,000 rows, for at most 250,000 rows',
      byte_total_basis: expect.stringMatching(/^an earlier file of the same kind/),
      export_plan: { row_total: 250_000, byte_total: 10_000_000, part_total: 1, request: { dataset: 'trades', as_of_utc: null } },
    });
    expect(booted.exporter.orders()).toHaveLength(before);
    const body = {
      format: 'parquet',
      columns: ['price', 'size'],
      from: '2026-01-01T00:00:00Z',
      symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'],
      dataset: 'trades',
    };
    const made = await order(body, { 'x-quote-id': answer.quote_id });
    expect(made.status).toBe(200);
    expect(lastOrder()).toMatchObject({ quoteId: answer.quote_id, exportCreditsMax: 4 });
  });

  it('without a body are bound by the quote of no parameters', async () => {
    const { quote_id: quoteId } = (await estimate('&method=POST')).json<{ readonly quote_id: string }>();
    for (const body of [undefined, null, {}]) expect((await order(body, { 'x-quote-id': quoteId })).status).toBe(200);
    const other = await order({ dataset: 'trades' }, { 'x-quote-id': quoteId });
    expect([other.status, other.json()['code']]).toEqual([402, 'quote_mismatch']);
  });

  it('that may cost more than their bound are refused, and no job is made', async () => {
    const { quote_id: quoteId } = (await estimate('')).json<{ readonly quote_id: string }>();
    booted.exporter.setRowTotal(900_000);
    const jobTotal = booted.exporter.jobs.listOf('ten_1', []).length;
    for (const [name, bound] of [
      ['x-quote-id', quoteId],
      ['x-max-credits', '4'],
    ] as const) {
      const response = await order(undefined, { [name]: bound });
      expect(response.status).toBe(402);
      expect(response.json()).toMatchObject({
        code: 'quote_exceeded',
        estimated_credits: 10,
        max_credits: 4,
        credit_kind: 'export',
        detail: 'This call may cost 10 export credits, more than your limit of 4. Nothing was charged.',
      });
    }
    expect(booted.exporter.jobs.listOf('ten_1', [])).toHaveLength(jobTotal);
  });

  it('are estimated with every fault of the query at once', async () => {
    const response = await estimate('&dataset=all&depth=x&symbol=BTCUSD-PERP&format=csv&compression=snappy');
    expect(response.status).toBe(422);
    expect(faultsOf(response)).toEqual(['query.compression', 'query.dataset', 'query.depth', 'query.symbol']);
    expect((await estimate('&symbols=XRPUSD-PERP')).status).toBe(404);
    booted.exporter.setRefusal('result_too_large');
    expect((await estimate('')).json<Faults>().detail[0]).toMatchObject({ loc: ['query'], type: 'result_too_large' });
  });
});

import { type BootedGateway, bootGateway } from './stand-in/boot';
import { openStream } from './stand-in/event-stream';
import type { RawRequest, RawResponse } from './stand-in/http-client';
import { logRow } from './stand-in/row-log';

const MARKET = '/api/public/market-state';
const LATEST = `${MARKET}/latest?symbol=BTCUSD-PERP`;
const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP&limit=1000';
const TENANT = 'ten_1';

interface Balances {
  readonly balances: readonly { readonly available: number; readonly held: number; readonly leased_to_gateways: number }[];
}

function partsOf(balance: Balances['balances'][number] | undefined): number {
  return balance === undefined ? 0 : balance.available + balance.held + balance.leased_to_gateways;
}

describe('metered calls', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const get = (path: string, headers: RawRequest['headers'] = {}): Promise<RawResponse> => booted.keyed(path, { headers });
  const charged = (response: RawResponse): unknown => [
    response.status,
    response.headers['x-credits-charged'],
    response.headers['x-credits-remaining'],
  ];
  const receipts = () => booted.account.credits.receipts(TENANT);
  const posted = (total: number) => booted.until(() => receipts().length === total);

  it('say what they cost and what is left, on the hot path, on the full one, and unchanged', async () => {
    booted.account.credits.grant(TENANT, 100);
    const first = await get(LATEST);
    expect(charged(first)).toEqual([200, '1', '99']);
    expect(first.headers['ratelimit-policy']).toBe('"plan";q=600000;w=60');
    expect(first.headers['ratelimit']).toMatch(/^"plan";r=\d+;t=1$/);
    expect(charged(await get(LATEST))).toEqual([200, '1', '98']);
    expect(charged(await get(LATEST, { 'if-none-match': String(first.headers['etag']) }))).toEqual([304, '1', '97']);
    expect(charged(await get(`${MARKET}/latest?symbol=ALL`))).toEqual([200, '2', '95']);
    expect(charged(await get(TRADES))).toEqual([200, '1', '94']);
    expect(charged(await get('/api/public/data/health'))).toEqual([200, '0', '94']);
    await posted(6);
    expect(booted.account.credits.spent(TENANT)).toBe(6);
    expect(
      receipts()
        .map(({ priced }) => [priced?.workloadFamily, priced?.estimatedMarketStateCredits, priced?.observedMarketStateCredits])
        .at(4),
    ).toEqual(['market_data_latest', 5, 1]);
  });

  it('cost nothing when they are refused, invalid, not found or fail', async () => {
    booted.account.credits.grant(TENANT, 100);
    await get(LATEST);
    await posted(1);
    booted.dataPlane.setHanging(true);
    for (const [path, status] of [
      [TRADES, 504],
      [`${MARKET}/latest?symbol=XYZUSD-PERP`, 404],
      [`${TRADES}0`, 422],
    ] as const) {
      const response = await get(path);
      expect([response.status, response.headers['x-credits-charged'], response.headers['x-credits-remaining']]).toEqual([
        status,
        '0',
        undefined,
      ]);
      expect(response.headers['ratelimit']).toBeDefined();
    }
    expect((await booted.get(LATEST)).status).toBe(401);
    booted.dataPlane.setHanging(false);
    expect(charged(await get(LATEST))).toEqual([200, '1', '98']);
    await posted(2);
  });

  it('answer 402 with the control and its reset when the credits are gone, and do no work', async () => {
    booted.account.credits.grant(TENANT, 1);
    await get(LATEST);
    const refused = await get(LATEST);
    expect(refused.status).toBe(402);
    expect(refused.json()).toMatchObject({ code: 'insufficient_credits', control: 'balance', available: 0, resets_at_utc: null });
    booted.account.credits.grant(TENANT, 1);
    expect((await get(LATEST)).status).toBe(200);
    expect(charged(await get(`${MARKET}/usage`))).toEqual([200, '0', '0']);
  });

  it('answer 402 at a cap, naming midnight, and above the ceiling for one call', async () => {
    const controls = { monthly_credit_cap: null, daily_credit_cap: 2, per_call_credit_ceiling: 1, export_credit_cap: null };
    const put = await booted.keyed(`${MARKET}/account/spend-controls`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(controls),
    });
    expect([put.status, put.json()]).toEqual([200, expect.objectContaining(controls)]);
    expect((await get(`${MARKET}/account/spend-controls`)).json()).toMatchObject(controls);
    expect((await get(`${MARKET}/latest?symbol=ALL`)).json()).toMatchObject({
      status: 402,
      code: 'per_call_credit_ceiling',
      control: 'per_call_credit_ceiling',
    });
    for (let call = 0; call < 2; call += 1) expect((await get(LATEST)).status).toBe(200);
    const refused = (await get(LATEST)).json();
    expect(refused).toMatchObject({ status: 402, code: 'daily_credit_cap', control: 'daily_credit_cap' });
    expect(refused['resets_at_utc']).toMatch(/T00:00:00\.000Z$/);
  });

  it('report one balance everywhere, made up of the grants’ remainders, and what the caps leave of it', async () => {
    booted.account.credits.grant(TENANT, 100);
    booted.account.credits.setControls(TENANT, { dailyCreditCap: 20 });
    await get(LATEST);
    const usage = (await get(`${MARKET}/usage`)).json<Balances & { grants: { credit_kind: string; left: number }[] }>();
    const [first] = usage.balances;
    expect(first).toMatchObject({ credit_kind: 'market_state', held: 0, spent_today: 1 });
    expect(first?.leased_to_gateways).toBeGreaterThan(0);
    const left = usage.grants.filter(({ credit_kind }) => credit_kind === 'market_state').reduce((sum, grant) => sum + grant.left, 0);
    expect([left, partsOf(first)]).toEqual([99, 99]);
    const estimate = (await get(`${MARKET}/usage/estimate?route=${MARKET}/latest`)).json<Balances>();
    const me = (await get(`${MARKET}/account/me`)).json<Balances>();
    expect([estimate.balances, me.balances]).toEqual([usage.balances, usage.balances]);
    expect(estimate).toMatchObject({ market_state_credits_after: 18, export_credits_after: 5_000 });
    expect(charged(await get(LATEST))).toEqual([200, '1', '18']);
  });

  it('are refused by the code that names the spend control in its settings, as the estimate says', async () => {
    booted.account.credits.grant(TENANT, 100);
    const route = encodeURIComponent(`${MARKET}/latest`);
    for (const [controls, code] of [
      [{ dailyCreditCap: 0 }, 'daily_credit_cap'],
      [{ monthlyCreditCap: 0 }, 'monthly_credit_cap'],
      [{ perCallCreditCeiling: 0 }, 'per_call_credit_ceiling'],
    ] as const) {
      booted.account.credits.setControls(TENANT, controls);
      expect((await get(`${MARKET}/usage/estimate?route=${route}`)).json()).toMatchObject({ would_be_refused_with: code });
      expect((await get(LATEST)).json()).toMatchObject({ status: 402, code, control: code });
      expect((await get(`${MARKET}/account/spend-controls`)).json()).toHaveProperty(code, 0);
    }
    booted.account.credits.setControls(TENANT, {});
    expect((await get(`${MARKET}/usage/estimate?route=${route}`)).json()).toMatchObject({ would_be_refused_with: null });
  });

  it('answer 503 while credits cannot be counted', async () => {
    booted.account.credits.setDown(true);
    const response = await get(LATEST);
    expect([response.status, response.json()['code'], response.headers['retry-after']]).toEqual([503, 'metering_unavailable', '1']);
    booted.account.credits.setDown(false);
    expect((await get(LATEST)).status).toBe(200);
  });

  it('are bound by a quote for the very call, and by a maximum', async () => {
    const estimate = await get(`${MARKET}/usage/estimate?route=/api/public/data/trades/latest&limit=1000&symbol=BTCUSD-PERP`);
    expect(estimate.json()).toMatchObject({
      estimated_market_state_credit_cost: 5,
      estimated_export_credit_cost: 0,
      workload_family: 'market_data_latest',
      estimate_basis: 'limit 1000',
      would_be_refused_with: null,
    });
    const quoteId = String(estimate.json()['quote_id']);
    const before = booted.account.credits.spent(TENANT);
    expect((await get('/api/public/data/trades/latest?symbol=BTCUSD-PERP&limit=999', { 'x-quote-id': quoteId })).json()).toMatchObject({
      status: 402,
      code: 'quote_mismatch',
    });
    expect((await get(LATEST, { 'x-quote-id': quoteId })).json()).toMatchObject({ status: 402, code: 'quote_mismatch' });
    expect((await get(TRADES, { 'x-quote-id': `${quoteId}x` })).json()).toMatchObject({ status: 402, code: 'quote_mismatch' });
    expect((await get(TRADES, { 'x-max-credits': '4' })).json()).toMatchObject({
      status: 402,
      code: 'quote_exceeded',
      estimated_credits: 5,
      max_credits: 4,
    });
    expect((await get(LATEST, { 'x-max-credits': '0' })).json()).toMatchObject({ status: 402, code: 'quote_exceeded' });
    const other = booted.account.issue({ tenantId: 'ten_2' });
    expect((await booted.get(TRADES, { headers: { 'x-market-state-api-key': other, 'x-quote-id': quoteId } })).json()).toMatchObject({
      status: 402,
      code: 'quote_mismatch',
    });
    for (const bad of ['-1', '1000000001', 'x', '1.5', '1.0', '0x1', '1e3', '+1']) {
      const refused = await get(TRADES, { 'x-max-credits': bad });
      expect([bad, refused.status, refused.json()]).toMatchObject([bad, 422, { detail: [{ loc: ['header', 'x-max-credits'] }] }]);
    }
    expect(booted.account.credits.spent(TENANT)).toBe(before);
    expect((await get(LATEST, { 'x-max-credits': '1000000000' })).status).toBe(200);
    expect((await get('/api/public/data/trades/latest?limit=1000', { 'x-quote-id': quoteId, 'x-max-credits': '5' })).status).toBe(200);
    await booted.until(() => receipts().some(({ priced }) => priced?.quoteId === quoteId));
  });

  it('estimate the parameters of any route, and refuse bad ones all at once', async () => {
    const estimate = (query: string): Promise<RawResponse> => get(`${MARKET}/usage/estimate${query}`);
    expect((await estimate('')).json()).toMatchObject({
      route: `${MARKET}/latest`,
      estimated_market_state_credit_cost: 1,
      parameters: { symbol: 'BTCUSD-PERP' },
    });
    expect((await estimate('?symbol=ALL')).json()).toMatchObject({ estimated_market_state_credit_cost: 2 });
    expect((await estimate('?route=/api/public/data/connectors/{connector_id}/query-spec&connector_id=rest')).json()).toMatchObject({
      estimated_market_state_credit_cost: 1,
      parameters: { connector_id: 'rest', limit: 100 },
    });
    const faults = (await estimate('?route=/api/public/data/trades/latest&limit=0&colour=red')).json<{ detail: { loc: string[] }[] }>()
      .detail;
    expect(faults.map(({ loc }) => loc.join('.')).sort()).toEqual(['query.colour', 'query.limit']);
    expect((await estimate('?route=/nowhere')).status).toBe(404);
    expect((await estimate('?route=/livez')).status).toBe(422);
    expect((await estimate('?route=/api/public/market-state/saved-searches&method=POST')).status).toBe(422);
  });

  it('leave receipts that can be read within a second, each once, with every field', async () => {
    const sent = await get(LATEST, { 'x-request-id': 'my-call' });
    expect(sent.status).toBe(200);
    const read = await get(`${MARKET}/usage/receipt?request_id=my-call`);
    expect(read.json()).toMatchObject({
      row_type: 'credit_spend_receipt',
      request_id: 'my-call',
      endpoint: `${MARKET}/latest`,
      workload_family: 'latest_packet',
      plan_id: 'public_pro',
      tenant_id: TENANT,
      estimated_market_state_credit_cost: 1,
      observed_market_state_credit_cost: 1,
      estimated_export_credit_cost: 0,
      observed_export_credit_cost: 0,
      market_state_credit_delta: 0,
      export_credit_delta: 0,
      estimate_delta_state: 'matched',
      billing_event_state: 'posted',
      invoice_mutation_allowed: false,
      overage_charge_allowed: false,
      payment_collection_allowed: false,
      produced_artifacts: [],
      review_artifact_ids: [],
      row_total: 1,
    });
    const receiptId = String(read.json()['receipt_id']);
    // Behind more and more receipts for reading receipts.
    for (let read = 0; read < 6; read += 1)
      expect((await get(`${MARKET}/usage/receipt`)).json()).toMatchObject({ receipt_id: receiptId, row_total: 1 });
    expect((await get(`${MARKET}/usage/receipt?receipt_id=${receiptId}`)).json()).toMatchObject({ request_id: 'my-call' });
    expect((await get(`${MARKET}/usage/receipt?receipt_id=rcp_made_up`)).status).toBe(404);
    const usage = (await get(`${MARKET}/usage`)).json<{
      spend_by_family: { workload_family: string; market_state_credits: number }[];
      receipts: unknown[];
      balances: unknown[];
    }>();
    expect(usage.spend_by_family).toContainEqual(
      expect.objectContaining({ workload_family: 'latest_packet', calls: 1, market_state_credits: 1 }),
    );
    expect(usage.balances).toHaveLength(2);
  });

  it('charge a stream per hundred messages or part of it, and end it when the credits run out', async () => {
    booted.account.credits.grant(TENANT, 3);
    let ordinal = 0;
    const append = (): void => {
      for (let row = 0; row < 10; row += 1) booted.dataPlane.rows.append({ row: logRow('BTCUSD-PERP', (ordinal += 1), 'trades') });
    };
    append();
    const stream = await openStream(`${booted.gateway.url}/api/public/data/stream?symbol=BTCUSD-PERP`, {
      'x-market-state-api-key': booted.key,
    });
    expect(stream.status).toBe(200);
    await stream.until((messages) => messages.length > 0);
    const sent = () => stream.messages.filter(({ event }) => event === 'row').length;
    const isEnded = () => stream.messages.some(({ event }) => event === 'end');
    while (!isEnded()) {
      const before = sent();
      append();
      await stream.until(() => sent() > before || isEnded());
    }
    expect(JSON.parse(stream.messages.at(-1)?.data ?? '')).toMatchObject({
      code: 'credits_exhausted',
      resume_id: stream.messages.at(-1)?.lastEventId,
    });
    expect(sent()).toBeGreaterThan(280);
    expect(sent()).toBeLessThanOrEqual(300);
    await booted.until(() => booted.account.credits.spent(TENANT) === 3);
    expect(booted.account.credits.held(TENANT)).toBe(0);
    expect(receipts().at(-1)?.priced).toMatchObject({ workloadFamily: 'market_data_replay_window', route: '/api/public/data/stream' });
  });

  it('are held back at the plan rate with 429 and Retry-After, and cost nothing then', async () => {
    const key = booted.account.issue({ plan: { planId: 'public_builder', ratePerSecond: 1, burst: 2 }, tenantId: 'ten_slow' });
    const call = (): Promise<RawResponse> => booted.get(LATEST, { headers: { 'x-market-state-api-key': key } });
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const refused = await call();
    expect([refused.status, refused.json()['code'], refused.headers['retry-after'], refused.headers['ratelimit']]).toEqual([
      429,
      'rate_limited',
      '1',
      '"plan";r=0;t=1',
    ]);
    await booted.until(() => booted.account.credits.receipts('ten_slow').length === 2);
  });

  it('need a lease once: a warm latest makes no call to account', async () => {
    for (let call = 0; call < 3; call += 1) await get(LATEST);
    const before = booted.account.credits.takeTotal();
    for (let call = 0; call < 3; call += 1) expect((await get(LATEST)).status).toBe(200);
    expect(booted.account.credits.takeTotal() - before).toBeLessThanOrEqual(1);
  });
});

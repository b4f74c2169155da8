import { Agent, request } from 'node:http';
import { account as accountContract } from '@market-state/contracts';
import type { LoadLevel } from '../src/serving/admission';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const MARKET = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const LATEST = `${MARKET}/latest?symbol=${SYMBOL}`;
const BOOK = `/api/public/data/book/l2/latest?symbol=${SYMBOL}`;
const CANDLES = `/api/public/data/candles?symbol=${SYMBOL}&tf=1m`;
const REPLAY = `${MARKET}/replay?symbol=${SYMBOL}&limit=1000`;
const WINDOW = `/api/public/data/replay/window?symbol=${SYMBOL}`;
const TRIAL = { planId: 'trial', ratePerSecond: 1_000, burst: 1_000 };

describe('calls in flight', () => {
  let booted: BootedGateway;
  let trial: string;
  beforeEach(async () => {
    booted = await bootGateway();
    trial = booted.account.issue({ tenantId: 'ten_trial', plan: TRIAL });
  });
  afterEach(() => booted.close());

  const ask = (path: string, key = trial): Promise<RawResponse> => booted.get(path, { headers: { 'x-market-state-api-key': key } });

  /** Starts calls that hang upstream until cut. */
  async function hang(path: string, total: number): Promise<() => void> {
    const before = booted.dataPlane.waitingTotal();
    booted.dataPlane.setHanging(true);
    const agent = new Agent();
    const calls = Array.from({ length: total }, () =>
      request(booted.gateway.url + path, { agent, headers: { 'x-market-state-api-key': trial } }).on('error', () => undefined),
    );
    for (const call of calls) call.end();
    await booted.until(() => booted.dataPlane.waitingTotal() === before + total);
    booted.dataPlane.setHanging(false);
    return () => calls.forEach((call) => call.destroy());
  }

  it('of a trial weigh 8 at most; one more is 429, costs nothing and holds no credits', async () => {
    booted.account.credits.grant('ten_trial', 1_000);
    const cut = await hang(BOOK, 5);
    const held = booted.account.credits.held('ten_trial');
    const refused = await ask(BOOK);
    expect([refused.status, refused.headers['retry-after'], refused.headers['x-credits-charged']]).toEqual([429, '1', '0']);
    expect(refused.json()).toMatchObject({ code: 'too_many_calls_at_once', weight: 1.5, weight_in_flight: 7.5, weight_limit: 8 });
    expect((await ask('/api/public/data/status/rights')).status).toBe(429);
    expect((await ask(BOOK, booted.key)).status).toBe(200);
    expect(booted.account.credits.held('ten_trial')).toBe(held);
    cut();
    await booted.until(() => booted.dataPlane.waitingTotal() === 0);
    await booted.until(async () => (await ask(BOOK)).status === 200);
    await booted.until(() => booted.account.credits.receipts('ten_trial').length === 1);
    expect(booted.account.credits.spent('ten_trial')).toBe(1);
  });

  it('that weigh more than the limit run when the tenant has no other in flight', async () => {
    expect((await ask(REPLAY)).status).toBe(200);
    const cut = await hang(BOOK, 1);
    expect((await ask(REPLAY)).json()).toMatchObject({ code: 'too_many_calls_at_once', weight: 21.5 });
    cut();
    await booted.until(async () => (await ask(REPLAY)).status === 200);
  });

  it('of a sandbox key are weighted by their possible work, not by their price', async () => {
    const sandbox = booted.account.issue(
      { tenantId: 'ten_sandbox', kind: accountContract.KeyKind.TEST, plan: { planId: 'sandbox', ratePerSecond: 1_000, burst: 1_000 } },
      'test',
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(REPLAY, sandbox)));
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).not.toHaveLength(0);
  });

  it('count until their work has ended upstream, also after a 504', async () => {
    booted.dataPlane.setHanging(true);
    const hanging = Array.from({ length: 5 }, () => ask(BOOK));
    await booted.until(() => booted.dataPlane.waitingTotal() === 5);
    expect((await ask(BOOK)).status).toBe(429);
    expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual([504, 504, 504, 504, 504]);
    await booted.until(() => booted.dataPlane.waitingTotal() === 0);
    booted.dataPlane.setHanging(false);
    await booted.until(async () => (await ask(BOOK)).status === 200);
  });

  it('never hold up a latest that is held ready', async () => {
    expect((await ask(LATEST)).status).toBe(200);
    const cut = await hang(BOOK, 5);
    expect((await ask(LATEST)).status).toBe(200);
    cut();
  });
});

describe('a gateway whose event loop lags', () => {
  let booted: BootedGateway;
  let level: LoadLevel = 0;
  beforeAll(async () => {
    booted = await bootGateway({ loadLevel: () => level });
    for (const path of [LATEST, BOOK]) expect((await booted.keyed(path)).status).toBe(200);
  });
  afterAll(() => booted.close());

  it.each<[LoadLevel, string, number]>([
    [0, WINDOW, 200],
    [1, WINDOW, 503],
    [1, REPLAY, 503],
    [1, CANDLES, 200],
    [1, BOOK, 200],
    [2, BOOK, 503],
    [2, '/api/public/data/stream?symbol=BTCUSD-PERP', 503],
    [2, '/api/public/data/status/rights', 200],
    [2, `${MARKET}/latest?symbol=ALL`, 200],
    [3, '/api/public/data/status/rights', 503],
    [3, '/openapi.json', 503],
    [3, LATEST, 200],
    [3, '/livez', 200],
  ])('at level %d answers %s with %d', async (at, path, status) => {
    level = at;
    const answer = await booted.keyed(path);
    level = 0;
    expect(answer.status).toBe(status);
    if (status === 503) expect([answer.headers['retry-after'], answer.json()]).toMatchObject(['2', { code: 'overloaded' }]);
  });

  it('looks up no key that it does not remember when it lags most', async () => {
    const key = booted.account.issue();
    const before = booted.account.verifyTotal();
    level = 3;
    const refused = await booted.get(LATEST, { headers: { 'x-market-state-api-key': key } });
    level = 0;
    expect([refused.status, refused.json()]).toMatchObject([503, { code: 'overloaded' }]);
    expect(booted.account.verifyTotal()).toBe(before);
  });

  it('charges nothing for what it refuses', async () => {
    const key = { headers: { 'x-market-state-api-key': booted.account.issue({ tenantId: 'ten_refused' }) } };
    await booted.get(LATEST, key);
    level = 2;
    const refused = await booted.get(BOOK, key);
    level = 0;
    const charged = await booted.get(LATEST, key);
    expect([refused.status, refused.headers['x-credits-charged'], charged.headers['x-credits-charged']]).toEqual([503, '0', '1']);
    const spent = (): number => booted.account.credits.spent('ten_refused');
    while (spent() < 2) await new Promise((resolve) => setImmediate(resolve));
    await booted.close();
    expect(spent()).toBe(2);
  });
});

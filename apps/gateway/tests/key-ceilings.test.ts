import { type BootedGateway, bootGateway } from './stand-in/boot';
import { openStream } from './stand-in/event-stream';
import type { RawRequest, RawResponse } from './stand-in/http-client';
import { logRow } from './stand-in/row-log';

const MARKET = '/api/public/market-state';
const KEYS = `${MARKET}/account/keys`;
const LATEST = `${MARKET}/latest?symbol=BTCUSD-PERP`;
const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP';
const TENANT = 'ten_1';
const HOUR_S = 3_600;

interface Made {
  readonly key: string;
  readonly record: { readonly key_id: string; readonly credit_ceiling: unknown };
}

describe('a key with a credit ceiling', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const send = (method: string, path: string, body: unknown): Promise<RawResponse> =>
    booted.keyed(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const make = async (credits: number): Promise<Made> =>
    (await send('POST', KEYS, { name: 'agent', scopes: ['read'], credit_ceiling: { credits, window_seconds: HOUR_S } })).json<Made>();
  const get = (key: string, path: string, headers: RawRequest['headers'] = {}): Promise<RawResponse> =>
    booted.get(path, { headers: { 'x-market-state-api-key': key, ...headers } });

  it('is created, listed, changed and removed, with every fault reported together', async () => {
    const { record } = await make(50);
    const shown = { credits: 50, window_seconds: HOUR_S, spent: 0, available: 50 };
    expect(record.credit_ceiling).toMatchObject(shown);
    const rows = async () => (await booted.keyed(KEYS)).json<{ rows: Made['record'][] }>().rows;
    expect((await rows()).map(({ credit_ceiling: ceiling }) => ceiling)).toContainEqual(expect.objectContaining(shown));
    const path = `${KEYS}/${record.key_id}`;
    expect((await send('PATCH', path, { credit_ceiling: { credits: 9, window_seconds: 60 } })).json()).toMatchObject({
      record: { credit_ceiling: { credits: 9, window_seconds: 60 } },
    });
    expect((await send('PATCH', path, { credit_ceiling: null })).json()).toMatchObject({ record: { credit_ceiling: null } });
    const locsOf = (response: RawResponse): string[] =>
      response.json<{ detail: { loc: string[] }[] }>().detail.map(({ loc }) => loc.join('.'));
    const bad = { credits: 0, window_seconds: 59, days: 1 };
    const all = ['body.credit_ceiling.credits', 'body.credit_ceiling.days', 'body.credit_ceiling.window_seconds'];
    for (const [method, at, body] of [
      ['POST', KEYS, { name: 'agent', scopes: ['read'], credit_ceiling: bad }],
      ['PATCH', path, { credit_ceiling: bad }],
    ] as const) {
      const refused = await send(method, at, body);
      expect([refused.status, locsOf(refused).sort()]).toEqual([422, all]);
    }
    expect(locsOf(await send('PATCH', path, { credit_ceiling: {} })).sort()).toEqual([all[0], all[2]]);
    expect(locsOf(await send('PATCH', path, { rotate: true, credit_ceiling: null }))).toEqual(['body.credit_ceiling']);
  });

  it('is charged for no more than the ceiling by 200 calls at once, on the hot path and on the full one', async () => {
    const { key } = await make(50);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => get(key, index % 2 === 0 ? LATEST : TRADES)));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeLessThanOrEqual(50);
    expect(served).toBeGreaterThan(40);
    await booted.until(() => booted.account.credits.spent(TENANT) === served);
    while ((await get(key, LATEST)).status === 200) continue;
    const refused = await get(key, LATEST);
    expect(refused.headers['x-credits-charged']).toBe('0');
    expect(refused.json()).toMatchObject({
      status: 402,
      code: 'credit_ceiling',
      control: 'credit_ceiling',
      available: 0,
      needed: 1,
      ceiling: { credits: 50, window_seconds: HOUR_S, spent: 50 },
      resets_at_utc: expect.stringMatching(/:00:00\.000Z$/),
    });
    expect((await booted.keyed(LATEST)).status).toBe(200);
  });

  it('needs no call to account for a call of latest that its lease pays for', async () => {
    const { key } = await make(100_000);
    for (let call = 0; call < 5; call += 1) await get(key, LATEST);
    await booted.until(() => booted.account.credits.spent(TENANT) === 5);
    const { account } = booted;
    const before = [account.credits.takeTotal(), account.verifyTotal()];
    const remaining: unknown[] = [];
    for (let call = 0; call < 3; call += 1) remaining.push((await get(key, LATEST)).headers['x-credits-remaining']);
    expect([account.credits.takeTotal(), account.verifyTotal()]).toEqual(before);
    expect(remaining).toEqual(['99994', '99993', '99992']);
  });

  it('ends a stream, and is foreseen by an estimate and not passed by its quote', async () => {
    const { key } = await make(2);
    const route = '/api/public/data/trades/latest';
    const dear = `symbol=BTCUSD-PERP&limit=1000`;
    const estimate = (await get(key, `${MARKET}/usage/estimate?route=${route}&${dear}`)).json<{ quote_id: string }>();
    expect(estimate).toMatchObject({ would_be_refused_with: 'credit_ceiling', market_state_credits_after: -3 });
    const quoted = await get(key, `${route}?${dear}`, { 'x-quote-id': estimate.quote_id });
    expect([quoted.status, quoted.json()['code']]).toEqual([402, 'credit_ceiling']);

    let ordinal = 0;
    const append = (): void => {
      for (let row = 0; row < 10; row += 1) booted.dataPlane.rows.append({ row: logRow('BTCUSD-PERP', (ordinal += 1), 'trades') });
    };
    append();
    const stream = await openStream(`${booted.gateway.url}/api/public/data/stream?symbol=BTCUSD-PERP`, { 'x-market-state-api-key': key });
    await stream.until((messages) => messages.length > 0);
    while (!stream.messages.some(({ event }) => event === 'end')) {
      append();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(JSON.parse(stream.messages.at(-1)?.data ?? '')).toMatchObject({ code: 'credits_exhausted' });
    await booted.until(() => booted.account.credits.spent(TENANT) === 2);
  });

  it('has its own spend and receipts in usage, and a key of another tenant is like none', async () => {
    const [one, other] = [await make(50), await make(50)];
    await get(one.key, LATEST);
    for (let call = 0; call < 2; call += 1) await get(other.key, LATEST);
    const usageOf = async (query: string) =>
      (await booted.keyed(`${MARKET}/usage${query}`)).json<{
        credit_ceiling: unknown;
        spend_by_key: { key_id: string; market_state_credits: number }[];
        receipts: { key_id: string; observed_market_state_credit_cost: number }[];
      }>();
    const own = await usageOf(`?key_id=${other.record.key_id}`);
    expect(own.credit_ceiling).toMatchObject({ credits: 50, spent: 2, available: 48 });
    expect(own.spend_by_key).toEqual([
      expect.objectContaining({ caller: 'key', key_id: other.record.key_id, calls: 2, market_state_credits: 2 }),
    ]);
    expect(own.receipts.map(({ key_id: keyId }) => keyId)).toEqual([other.record.key_id, other.record.key_id]);
    const all = await usageOf('');
    expect(all.credit_ceiling).toBeNull();
    expect(all.spend_by_key.map(({ key_id: keyId, market_state_credits: credits }) => [keyId, credits]).slice(0, 2)).toEqual([
      [other.record.key_id, 2],
      [one.record.key_id, 1],
    ]);
    booted.account.issue({ tenantId: 'ten_2', keyId: 'key_foreign' });
    const [foreign, unknown] = [
      await booted.keyed(`${MARKET}/usage?key_id=key_foreign`),
      await booted.keyed(`${MARKET}/usage?key_id=key_none`),
    ];
    const shown = ({ status, json }: RawResponse): unknown => [status, { ...json(), request_id: '' }];
    expect(shown(foreign)).toEqual(shown(unknown));
    expect([foreign.status, foreign.headers['x-credits-charged']]).toEqual([404, '0']);
  });
});

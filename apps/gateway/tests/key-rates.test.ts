import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const MARKET = '/api/public/market-state';
const KEYS = `${MARKET}/account/keys`;
const LATEST = `${MARKET}/latest?symbol=BTCUSD-PERP`;
/** Not a read of the fast path. */
const ROUTE = `${MARKET}/tiers/simulator`;
const REFUSED = 'Too many calls: this key allows 60 a minute with a burst of 4. Nothing was charged.';

interface Made {
  readonly key: string;
  readonly record: { readonly key_id: string; readonly rate_limit: unknown };
}

let nowMs = 1_000_000;
let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway({ monotonicMs: () => nowMs });
});
afterAll(() => booted.close());

const send = (method: string, path: string, body: unknown): Promise<RawResponse> =>
  booted.keyed(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const make = async (rate: number): Promise<Made> =>
  (await send('POST', KEYS, { name: 'loop', scopes: ['read'], rate_limit: { calls_per_minute: rate } })).json<Made>();
const get = (key: string, path: string): Promise<RawResponse> => booted.get(path, { headers: { 'x-market-state-api-key': key } });
const rateHeadersOf = ({ status, headers }: RawResponse): unknown => [status, headers['ratelimit-policy'], headers['ratelimit']];
/** Remainder of the tenant's bucket, as reported to another key. */
const leftOfPlan = async (): Promise<number> => Number(/r=(\d+)/.exec(String((await booted.keyed(LATEST)).headers['ratelimit']))?.[1]);

test('a key with a rate is admitted by it and its plan, and refused by the limit it reaches, on fast path and route alike', async () => {
  const { key, record } = await make(60);
  expect(record.rate_limit).toEqual({ calls_per_minute: 60, calls_at_once: 4 });
  const policies = '"key";q=60;w=60, "plan";q=600000;w=60';
  for (const [at, path] of [LATEST, ROUTE, LATEST, ROUTE].entries())
    expect(rateHeadersOf(await get(key, path))).toEqual([
      200,
      policies,
      expect.stringMatching(new RegExp(`^"key";r=${3 - at};t=1, "plan";r=\\d+;t=1$`)),
    ]);
  const left = await leftOfPlan();
  for (const path of [LATEST, ROUTE, `${LATEST}&nonsense=1`]) {
    const refused = await get(key, path);
    expect(rateHeadersOf(refused)).toEqual([429, '"key";q=60;w=60', '"key";r=0;t=1']);
    expect([refused.json()['code'], refused.json()['detail'], refused.headers['retry-after']]).toEqual(['rate_limited', REFUSED, '1']);
  }
  expect(await leftOfPlan()).toBe(left - 1);
  nowMs += 1_000;
  expect([(await get(key, LATEST)).status, (await get(key, LATEST)).status]).toEqual([200, 429]);
});

test('calls of one class of routes do not count against those of another', async () => {
  const { key } = await make(15);
  expect([(await get(key, LATEST)).status, (await get(key, LATEST)).status]).toEqual([200, 429]);
  expect(rateHeadersOf(await get(key, KEYS))).toEqual([403, undefined, undefined]);
  const owner = booted.account.issue({
    scopes: ['SCOPE_ACCOUNT', 'SCOPE_READ'] as never,
    ownRate: { callsPerMinute: 15, keyId: 'key_owner' },
  });
  expect([(await get(owner, LATEST)).status, (await get(owner, LATEST)).status, (await get(owner, KEYS)).status]).toEqual([200, 429, 200]);
});

test('a rate is changed and taken away while the key is in use: what it had used up under the other one is forgotten', async () => {
  const { key, record } = await make(15);
  const path = `${KEYS}/${record.key_id}`;
  expect([(await get(key, LATEST)).status, (await get(key, LATEST)).status]).toEqual([200, 429]);
  expect((await send('PATCH', path, { rate_limit: { calls_per_minute: 600 } })).json()).toMatchObject({
    record: { rate_limit: { calls_per_minute: 600, calls_at_once: 40 } },
  });
  await booted.until(async () => (await get(key, LATEST)).headers['ratelimit-policy'] === '"key";q=600;w=60, "plan";q=600000;w=60');
  expect((await send('PATCH', path, { name: 'loop two' })).json()).toMatchObject({ record: { rate_limit: { calls_per_minute: 600 } } });
  expect((await send('PATCH', path, { rate_limit: null })).json()).toMatchObject({ record: { rate_limit: null } });
  await booted.until(async () => (await get(key, LATEST)).headers['ratelimit-policy'] === '"plan";q=600000;w=60');
});

test('every fault of a rate is named, and a rotation takes none', async () => {
  const { record } = await make(15);
  const locsOf = (response: RawResponse): unknown => [
    response.status,
    response.json<{ detail: { loc: string[] }[] }>().detail.map(({ loc }) => loc.join('.')),
  ];
  const at = 'body.rate_limit.calls_per_minute';
  for (const rate of [0, 30_001, 1.5, '60'])
    expect(locsOf(await send('POST', KEYS, { name: 'n', scopes: ['read'], rate_limit: { calls_per_minute: rate } }))).toEqual([422, [at]]);
  expect(locsOf(await send('PATCH', `${KEYS}/${record.key_id}`, { rate_limit: {} }))).toEqual([422, [at]]);
  expect(locsOf(await send('PATCH', `${KEYS}/${record.key_id}`, { rotate: true, rate_limit: null }))).toEqual([422, ['body.rate_limit']]);
});

import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const MARKET = '/api/public/market-state';
const LATEST = `${MARKET}/latest?symbol=BTCUSD-PERP`;
/** Not a read of the fast path. */
const ROUTE = `${MARKET}/tiers/simulator`;
/** Headers that differ between answers. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['date', 'x-request-id', 'content-length']);

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway();
});
afterAll(() => booted.close());

async function refusedTotal(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${booted.gateway.opsPort}/metrics`)).text();
  return Number(/^requests_rate_limited_total\{.*class="metered".*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

/** Everything that two answers to the same caller share. */
function shown({ status, headers, json }: RawResponse) {
  const { request_id: named, ...body } = json();
  expect(named).toBe(headers['x-request-id']);
  return { status, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))), body };
}

test('a key beyond its rate is refused by the fast path exactly as by the route, and each refusal is counted', async () => {
  const key = booted.account.issue({ plan: { planId: 'public_builder', ratePerSecond: 1, burst: 1 }, tenantId: 'ten_flood' });
  const call = (path: string): Promise<RawResponse> => booted.get(path, { headers: { 'x-market-state-api-key': key } });
  let refused = 0;
  // One call a second is admitted: waits until a second of that kind fits all of them.
  await booted.until(async () => {
    const answers = await Promise.all([ROUTE, LATEST, `${LATEST}&nonsense=1`, LATEST].map(call));
    const beyond = answers.filter(({ status }) => status === 429);
    refused += beyond.length;
    if (beyond.length < answers.length) return false;
    expect(beyond.map(shown)).toEqual(beyond.map(() => shown(answers[0] as RawResponse)));
    return true;
  });
  await expect(refusedTotal()).resolves.toBe(refused);
});

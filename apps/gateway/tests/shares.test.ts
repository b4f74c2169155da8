import { createHash } from 'node:crypto';
import { account } from '@market-state/contracts';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { packetRecord } from './stand-in/packet-record';
import { OLD_EVENT, OLD_LIVE_EVENT } from './stand-in/shares';

const BASE = '/api/public/market-state';

interface Share {
  readonly share_id: string;
  readonly share_state: string;
  readonly expires_at_utc: string;
  readonly routes: { readonly page: string; readonly packet: string; readonly badge: string };
}
interface Shared {
  readonly share_state: string;
  readonly share_note: string;
  readonly ended_at_utc: string | null;
  readonly packet: object | null;
  readonly proof: { readonly packet_digest: string; readonly event_id: string; readonly signature: object | null };
}

let booted: BootedGateway;
beforeEach(async () => {
  booted = await bootGateway();
});
afterEach(() => booted.close());

const share = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> =>
  booted.keyed(`${BASE}/shares`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const shared = async (days = 30): Promise<Share> => (await share({ event_id: OLD_EVENT, days })).json<Share>();
const revoke = (shareId: string, key = booted.key): Promise<RawResponse> =>
  booted.get(`${BASE}/shares/${shareId}`, { method: 'DELETE', headers: { 'x-market-state-api-key': key } });
const seen = async ({ routes }: Share): Promise<Shared> => (await booted.get(routes.packet)).json<Shared>();

test('a share is created once per Idempotency-Key, and costs as much as related calls', async () => {
  const made = await share({ event_id: OLD_EVENT }, { 'idempotency-key': 'one' });
  expect([made.status, made.headers['x-credits-charged']]).toEqual([200, '1']);
  const { share_id: id, routes, expires_at_utc: expires } = made.json<Share>();
  expect(made.headers['location']).toBe(routes.packet);
  expect(routes.page).toBe(`/s/${id}`);
  expect(Date.parse(expires) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
  expect((await share({ event_id: OLD_EVENT }, { 'idempotency-key': 'one' })).text).toBe(made.text);
});

test('the packet is read without a key or charge, byte for byte, and must not be cached', async () => {
  const made = await shared();
  const answer = await booted.get(made.routes.packet);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
  expect(answer.headers).not.toHaveProperty('x-credits-charged');
  const { packet, proof } = answer.json<Shared>();
  expect(createHash('sha256').update(JSON.stringify(packet)).digest('hex')).toBe(proof.packet_digest);
  expect(answer.text).not.toMatch(/ten_1|acc_|key_1/);
});

test('after its end the proof line stands in the place of the packet, and says since when', async () => {
  const [expiring, ended] = [await shared(1), await shared()];
  booted.labeling.shares.expire(expiring.share_id);
  expect((await revoke(ended.share_id)).json()).toMatchObject({ share_state: 'revoked' });
  for (const [made, state] of [
    [expiring, 'expired'],
    [ended, 'revoked'],
  ] as const) {
    const answer = await seen(made);
    expect(answer).toMatchObject({ share_state: state, packet: null, proof: { event_id: OLD_EVENT } });
    expect(Date.parse(answer.ended_at_utc ?? '')).toBeLessThanOrEqual(Date.now());
    expect(answer.share_note).toContain('The proof line remains available.');
    expect((await booted.get(made.routes.badge)).text).toContain('share ended, proof available');
  }
  const listed = (await booted.keyed(`${BASE}/shares?limit=2`)).json<{ readonly shares: readonly Share[] }>();
  expect(listed.shares.map(({ share_state: state }) => state)).toEqual(['revoked', 'expired']);
});

test('what a disabled tenant shared is withheld at once', async () => {
  const made = await shared();
  expect((await seen(made)).share_state).toBe('active');
  booted.account.disableTenant('ten_1');
  expect(await seen(made)).toMatchObject({ share_state: 'withheld', packet: null, ended_at_utc: null });
});

test('no packet is shown while the status of its tenant is unknown', async () => {
  const made = await shared();
  booted.account.setDown(true);
  expect((await booted.get(made.routes.packet)).status).toBe(503);
});

test('what cannot be shared is refused in words: too young, of a live venue, too many', async () => {
  const young = packetRecord('BTCUSD-PERP', lastWindowEndMs() - 590_000);
  booted.labeling.store(young);
  const early = await share({ event_id: young.eventId });
  expect([early.status, early.json()]).toMatchObject([
    409,
    { code: 'packet_too_young', shareable_from_utc: new Date(young.knownTsMs + 600_000).toISOString() },
  ]);
  const live = await share({ event_id: OLD_LIVE_EVENT });
  expect([live.status, live.json()]).toMatchObject([403, { code: 'live_sharing_off' }]);
  // Two exist from the start.
  for (let total = 2; total < 50; total += 1) await shared();
  const full = await share({ event_id: OLD_EVENT });
  expect([full.status, full.json()]).toMatchObject([409, { code: 'too_many_shares', limit: 50 }]);
  expect(full.headers['x-credits-charged']).toBe('0');
});

test.each([[0], [91], [1.5], ['30']])('%s days are refused', async (days) => {
  const refused = await share({ event_id: OLD_EVENT, days });
  expect([refused.status, refused.json()]).toMatchObject([422, { detail: [{ loc: ['body', 'days'] }] }]);
});

test('sandbox keys share nothing', async () => {
  const key = booted.account.issue({ tenantId: 'ten_2', scopes: [account.Scope.AUTOMATION] }, 'test');
  const headers = { 'content-type': 'application/json', 'x-market-state-api-key': key };
  const refused = await booted.get(`${BASE}/shares`, { method: 'POST', body: JSON.stringify({ event_id: OLD_EVENT }), headers });
  expect([refused.status, refused.json()]).toMatchObject([403, { code: 'sandbox_refused' }]);
});

test('a share of another tenant is as one that there is not', async () => {
  const made = await shared();
  const other = booted.account.issue({ tenantId: 'ten_2', scopes: [account.Scope.AUTOMATION] });
  const [others, unknown] = [await revoke(made.share_id, other), await revoke(`shr_${'0'.repeat(25)}z`, other)];
  expect([others.status, unknown.status]).toEqual([404, 404]);
  expect((await booted.get(`${BASE}/demo/shares/shr_1`)).status).toBe(404);
  expect((await booted.get(`${BASE}/demo/shares/shr_1/badge.svg`)).status).toBe(404);
  expect((await seen(made)).share_state).toBe('active');
});

test('the badge is a picture that pages of others may hold, and that does nothing', async () => {
  const { routes } = await shared();
  const badge = await booted.get(routes.badge);
  expect(badge.headers).toMatchObject({
    'content-type': 'image/svg+xml; charset=utf-8',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(badge.headers['content-security-policy']).toContain("default-src 'none'");
  expect(badge.text).toContain('BTCUSD-PERP 2023-11-14 22:13:20 UTC');
  expect(badge.text).toContain('check it');
  expect(badge.text).not.toMatch(/verified/i);
});

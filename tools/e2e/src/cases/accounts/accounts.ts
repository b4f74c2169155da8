import { randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { operatorOf, type System, waitUntil } from '@market-state/testing';
import { ACCOUNT, type AccountApi, type As, cookieOf, createAccountApi, withKey, type Answer } from '../../system/api';
import type { DefaultSystem } from '../../system/default-system';
import { resetMailTo } from '../../system/stored';

const LATEST = '/api/public/market-state/latest';
const RECEIPT = '/api/public/market-state/usage/receipt';
const ALL_SCOPES = ['read', 'export', 'automation', 'account'];

/** A password on no list of common ones. */
const newPassword = (): string => `pw-${randomBytes(12).toString('base64url')}`;

let system: System;
let api: AccountApi;
let demoKey: string;
let operator: GrpcClient<account.OperatorServiceService>;

function good(answer: Answer): Answer {
  expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({ status: 200, text: '' });
  return answer;
}

let emails = 0;
async function claim(
  fields: Readonly<Record<string, string>>,
  email = `person-${(emails += 1)}@example.com`,
): Promise<{ as: As; email: string; password: string; answer: Answer }> {
  const password = newPassword();
  const answer = good(await api.call('POST', `${ACCOUNT}/auth/claim`, { email, password, ...fields }));
  return { as: cookieOf(answer), email, password, answer };
}

const untilStatus = (key: string, status: number) =>
  waitUntil(`status ${status}`, async () => (await api.get(LATEST, withKey(key))).status === status);

export function describeAccounts(started: () => DefaultSystem): void {
  beforeAll(() => {
    ({ system, key: demoKey } = started());
    api = createAccountApi(system);
    operator = operatorOf(system);
  });

  afterAll(() => operator?.close());

  describe('an account', () => {
    it("is claimed with its tenant's key, creates, uses, narrows, rotates and revokes keys, and logs out", async () => {
      const { as, answer } = await claim({ api_key: demoKey });
      expect(answer.headers.getSetCookie()[0]).toMatch(
        /^svc_market_state_session=[\w-]{43}; Path=\/; Max-Age=86\d{3}; HttpOnly; SameSite=Lax$/,
      );
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const me = good(await api.get(`${ACCOUNT}/me`, as)).body as { tenant: { name: string }; plan: { plan_id: string }; scopes: string[] };
      expect(me).toMatchObject({
        credential: 'account_session',
        tenant: { name: 'demo' },
        plan: { plan_id: 'public_pro', tier: 'Pro' },
        scopes: ALL_SCOPES,
      });

      const idempotent = { ...as, 'idempotency-key': 'first' };
      const made = good(await api.call('POST', `${ACCOUNT}/keys`, { name: 'mine', scopes: ['read', 'export'] }, idempotent));
      const again = good(await api.call('POST', `${ACCOUNT}/keys`, { scopes: ['read', 'export'], name: 'mine' }, idempotent));
      expect(again.text).toBe(made.text);
      expect([made.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([null, 'true']);
      expect((await api.call('POST', `${ACCOUNT}/keys`, { name: 'other', scopes: ['read'] }, idempotent)).status).toBe(422);
      const { key, record } = made.body as { key: string; record: { key_id: string; display: string } };
      expect(record.display).toBe(`${key.slice(0, 12)}…${key.slice(-4)}`);
      const list = good(await api.get(`${ACCOUNT}/keys`, as));
      expect(list.text).toContain(record.key_id);
      expect(list.text).not.toContain(key);

      expect((await api.get(LATEST, withKey(key))).status).toBe(200);
      const path = `${ACCOUNT}/keys/${record.key_id}`;
      good(await api.call('PATCH', path, { scopes: ['export'] }, as));
      await untilStatus(key, 403);
      good(await api.call('PATCH', path, { scopes: ['read'] }, as));
      await untilStatus(key, 200);

      const rotated = good(await api.call('PATCH', path, { rotate: true, overlap_seconds: 0 }, as)).body as {
        key: string;
        record: { key_id: string };
        ending: { key_id: string };
      };
      expect(rotated.ending.key_id).toBe(record.key_id);
      await untilStatus(key, 401);
      expect((await api.get(LATEST, withKey(rotated.key))).status).toBe(200);
      good(await api.call('DELETE', `${ACCOUNT}/keys/${rotated.record.key_id}`, undefined, as));
      await untilStatus(rotated.key, 401);

      expect((await api.get(LATEST, as)).status).toBe(200);
      const out = good(await api.call('POST', `${ACCOUNT}/auth/logout`, {}, as));
      expect(out.headers.getSetCookie()[0]).toMatch(/^svc_market_state_session=; Path=\/; Max-Age=0;/);
      await waitUntil('the session is over', async () => (await api.get(`${ACCOUNT}/me`, as)).status === 401);
    });

    it('is claimed once with a claim token, for the tenant it was created for', async () => {
      const { tenant } = await operator.call.ensureTenant({ name: 'claimed', planId: 'public_builder', renewal: account.Renewal.MONTHLY });
      const { claimToken } = await operator.call.createClaimToken({ tenantId: tenant?.tenantId ?? '' });
      const { as } = await claim({ claim_token: claimToken });
      expect(good(await api.get(`${ACCOUNT}/me`, as)).body).toMatchObject({
        tenant: { tenant_id: tenant?.tenantId, name: 'claimed' },
        plan: { plan_id: 'public_builder' },
      });
      const second = await api.call('POST', `${ACCOUNT}/auth/claim`, {
        email: 'late@example.com',
        password: newPassword(),
        claim_token: claimToken,
      });
      expect(second.status).toBe(401);
      expect(second.body).toMatchObject({ code: 'claim_refused' });
    });

    it('opens a trial with neither key nor token, and reports invalid passwords as faults of the body', async () => {
      const { as } = await claim({});
      expect(good(await api.get(`${ACCOUNT}/me`, as)).body).toMatchObject({ plan: { plan_id: 'trial' } });
      const common = await api.call('POST', `${ACCOUNT}/auth/claim`, { email: 'common@example.com', password: 'password1234' });
      expect(common.status).toBe(422);
      expect(common.body['detail']).toEqual([expect.objectContaining({ loc: ['body', 'password'] })]);
    });

    it('gets a new password by mail, which ends its sessions', async () => {
      const { as, email, password } = await claim({});
      const known = good(await api.call('POST', `${ACCOUNT}/auth/password-reset/request`, { email }));
      const unknown = good(await api.call('POST', `${ACCOUNT}/auth/password-reset/request`, { email: 'nobody@example.com' }));
      expect(unknown.text).toBe(known.text);
      const { token } = await waitUntil('the mail', () => resetMailTo(system, email));
      const fresh = newPassword();
      const confirm = () => api.call('POST', `${ACCOUNT}/auth/password-reset/confirm`, { reset_token: token, new_password: fresh });
      good(await confirm());
      expect((await confirm()).body).toMatchObject({ status: 401, code: 'reset_refused' });
      await waitUntil('the session is over', async () => (await api.get(`${ACCOUNT}/me`, as)).status === 401);
      expect((await api.call('POST', `${ACCOUNT}/auth/login`, { email, password })).body).toMatchObject({
        status: 401,
        code: 'login_refused',
      });
      good(await api.call('POST', `${ACCOUNT}/auth/login`, { email, password: fresh }));
    });

    it('buys a plan that the operator approves', async () => {
      const { as } = await claim({});
      const body = { plan_id: 'public_research', billing_interval: 'year', contact_reference: 'ref-1', unknown_to_us: { kept: false } };
      const order = good(await api.call('POST', `${ACCOUNT}/billing/checkout-session`, body, { ...as, 'idempotency-key': 'order' })).body;
      expect(order).toMatchObject({ provider: 'offline', status: 'open', amount_cents: 499_000, currency: 'usd' });
      await operator.call.approveOrder({ orderId: String(order['order_id']) });
      await waitUntil(
        'the plan',
        async () => ((await api.get(`${ACCOUNT}/me`, as)).body['plan'] as { plan_id: string }).plan_id === 'public_research',
      );
      const invoices = good(await api.get(`${ACCOUNT}/billing/invoices`, as)).body as { rows: readonly object[] };
      expect(invoices.rows).toEqual([expect.objectContaining({ order_id: order['order_id'], status: 'approved', amount_cents: 499_000 })]);
      good(await api.call('POST', `${ACCOUNT}/billing/portal`, { return_url: '/account' }, as));
      const elsewhere = await api.call('POST', `${ACCOUNT}/billing/portal`, { return_url: 'https://evil.example/' }, as);
      expect(elsewhere.body['detail']).toEqual([expect.objectContaining({ loc: ['body', 'return_url'] })]);
      const long = await api.call(
        'POST',
        `${ACCOUNT}/billing/checkout-session`,
        { plan_id: 'topup', contact_reference: 'x'.repeat(256) },
        as,
      );
      expect(long.body['detail']).toEqual([expect.objectContaining({ loc: ['body', 'contact_reference'] })]);
      expect((await api.call('POST', `${ACCOUNT}/billing/webhook`, {}, { 'stripe-signature': 't=1,v1=00' })).status).toBe(409);
    });

    it('sees nothing of another tenant: its ids are answered like unknown ones', async () => {
      const [a, b] = [await claim({}), await claim({})];
      const own = async ({ as }: { as: As }) =>
        (good(await api.call('POST', `${ACCOUNT}/keys`, { name: 'own', scopes: ['read'] }, as)).body['record'] as { key_id: string })
          .key_id;
      const [keyOfA, keyOfB] = [await own(a), await own(b)];
      const plain = ({ status, text }: Answer) => ({ status, text: text.replace(/"request_id":"[^"]+"/, '') });
      for (const [as, theirs] of [
        [a.as, keyOfB],
        [b.as, keyOfA],
      ] as const) {
        const madeUp = theirs.replace(/.{4}$/, 'zzzz');
        for (const [method, body] of [
          ['PATCH', { name: 'x' }],
          ['PATCH', { rotate: true }],
          ['DELETE', undefined],
        ] as const) {
          const answer = plain(await api.call(method, `${ACCOUNT}/keys/${theirs}`, body, as));
          expect(answer.status).toBe(404);
          expect(answer).toEqual(plain(await api.call(method, `${ACCOUNT}/keys/${madeUp}`, body, as)));
        }
      }
      expect((await api.get(LATEST, a.as)).status).toBe(200);
      const receiptId = await waitUntil('the receipt', async () => {
        const receipt = await api.get(`${RECEIPT}`, a.as);
        return receipt.status === 200 && String(receipt.body['receipt_id']);
      });
      const ask = async (id: string) => plain(await api.get(`${RECEIPT}?receipt_id=${id}`, b.as));
      expect((await ask(receiptId)).status).toBe(404);
      expect(await ask(receiptId)).toEqual(await ask(receiptId.replace(/.{4}$/, 'zzzz')));
    });
  });
}

import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { UNSUBSCRIBE_TOKEN, WRONG_CODE } from './stand-in/webhook';
import { LIVE_ENDPOINT } from './stand-in/webhook-endpoints';

const WEBHOOKS = '/api/public/market-state/webhooks';
const KINDS = ['alert.triggered'];
const SLACK = 'https://hooks.slack.com/services/T0123456/B0123456/sLaCkToKeN';

describe('destinations other than webhooks', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const post = (path: string, body?: object): Promise<RawResponse> =>
    booted.keyed(path, {
      method: 'POST',
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
    });
  const faultsOf = (response: RawResponse) =>
    response.json<{ readonly detail: readonly { readonly loc: readonly string[]; readonly type: string }[] }>().detail;
  const idOf = (response: RawResponse): string => response.json<{ readonly webhook_id: string }>().webhook_id;

  it('are created without a signing secret, and show no credential', async () => {
    const made = await post(WEBHOOKS, { kind: 'slack', url: SLACK, event_kinds: KINDS, digest_minutes: 15 });
    expect(made.status).toBe(200);
    expect(made.json()).toMatchObject({ kind: 'slack', digest_minutes: 15, email: null, chat_id: null, secret: null, secrets: [] });
    expect(made.text).toContain('Send a test');
    expect(made.text).not.toContain('sLaCkToKeN');
    expect((await post(`${WEBHOOKS}/${idOf(made)}/rotate-secret`)).json()).toMatchObject({ status: 409, code: 'no_signing_secret' });
  });

  it('of kind telegram and pagerduty need no URL', async () => {
    const telegram = { kind: 'telegram', bot_token: '123456:tElEgRaMtElEgRaMtElEgRaM', chat_id: '-1001', event_kinds: KINDS };
    expect((await post(WEBHOOKS, telegram)).json()).toMatchObject({ kind: 'telegram', chat_id: '-1001' });
    const pagerduty = { kind: 'pagerduty', routing_key: 'x'.repeat(32), event_kinds: KINDS };
    expect((await post(WEBHOOKS, pagerduty)).json()).toMatchObject({ kind: 'pagerduty', digest_minutes: 0 });
  });

  it.each([
    ['an unknown kind', { kind: 'carrier_pigeon' }, 'kind'],
    ['a digest of more than a day', { kind: 'slack', url: SLACK, digest_minutes: 1_441 }, 'digest_minutes'],
    ['a bot token that is a number', { kind: 'telegram', bot_token: 1, chat_id: '1' }, 'bot_token'],
  ])('with %s are refused', async (_what, body, field) => {
    const refused = await post(WEBHOOKS, { event_kinds: KINDS, ...body });
    expect([refused.status, faultsOf(refused)[0]?.loc]).toEqual([422, ['body', field]]);
  });

  it('of kind email are confirmed by a code', async () => {
    const made = await post(WEBHOOKS, { kind: 'email', email: 'desk@example.org', event_kinds: KINDS });
    expect(made.json()).toMatchObject({ kind: 'email', url: 'mailto:desk@example.org', email: 'desk@example.org', confirmed_at_utc: null });
    const path = `${WEBHOOKS}/${idOf(made)}/confirm`;
    expect(faultsOf(await post(path, { code: WRONG_CODE }))).toMatchObject([{ loc: ['body', 'code'], type: 'wrong_code' }]);
    expect(faultsOf(await post(path, {}))).toMatchObject([{ loc: ['body', 'code'] }]);
    const confirmed = await post(path, { code: '1234 5678' });
    expect(confirmed.json()).toMatchObject({ status: 'live', confirmed_at_utc: expect.stringMatching(/^\d{4}-/) as string });
    expect((await post(`${WEBHOOKS}/we_missing/confirm`, { code: '12345678' })).status).toBe(404);
  });

  it.each([
    ['a mail program', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    ['a mail program that sends parts', 'multipart/form-data; boundary=x', '--x\r\n\r\nOne-Click\r\n--x--\r\n'],
    ['a page', 'application/json', '{}'],
  ])('of kind email are unsubscribed by %s, without a credential', async (_who, type, body) => {
    const call = (token: string, text = body) =>
      booted.get(`/api/public/market-state/unsubscribe/${token}`, { method: 'POST', body: text, headers: { 'content-type': type } });
    expect((await call(UNSUBSCRIBE_TOKEN)).json()).toMatchObject({ unsubscribed: true });
    expect((await call('other')).status).toBe(404);
    expect((await call(UNSUBSCRIBE_TOKEN, 'x'.repeat(70_000))).status).toBe(413);
  });

  it('do not change what a webhook shows', async () => {
    const { kind, url, email, chat_id: chatId, digest_minutes: digest } = (await booted.keyed(`${WEBHOOKS}/${LIVE_ENDPOINT}`)).json();
    expect({ kind, url, email, chatId, digest }).toEqual({
      kind: 'webhook',
      url: 'https://example.com/hook',
      email: null,
      chatId: null,
      digest: 0,
    });
  });
});

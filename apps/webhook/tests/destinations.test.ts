import { Writable } from 'node:stream';
import { webhook } from '@market-state/contracts';
import { createLogger } from '@market-state/logging';
import { openSecret, sealSecret } from '@market-state/webhook-signing';
import { randomBytes } from 'node:crypto';
import { writeUnsubscribeToken } from '../src/destinations/email-consent';
import { type HooksUnderTest, KEYS, PRIVATE_URL, PUBLIC_URL, startHooksUnderTest, TENANT } from './hooks-under-test';

const { EndpointKind, EndpointStatus } = webhook;
const SLACK = 'https://hooks.slack.com/services/T0123456/B0123456/sLaCkToKeNsLaCkToKeN';
const DISCORD = 'https://discord.com/api/webhooks/1094862910712345678/dIsCoRdToKeN-dIsCoRd_ToKeN';
const BOT_TOKEN = '123456789:tElEgRaMtOkEn-tElEgRaMtOkEn';
const ROUTING_KEY = 'pAgErDuTyKeY0123456789abcdefghij';

let test: HooksUnderTest;
let logged = '';

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  test = await startHooksUnderTest(createLogger('webhook', { destination }));
});
afterAll(() => test?.close());

const of = (endpointId: string) => ({ tenantId: TENANT, endpointId });
const read = async (endpointId: string) => (await test.endpoints.getEndpoint(of(endpointId))).endpoint;
const update = async (endpointId: string, change: Partial<webhook.UpdateEndpointRequest>) =>
  (await test.endpoints.updateEndpoint({ ...of(endpointId), eventKinds: [], ...change })).endpoint;
const faultsOf = (answer: Promise<unknown>) =>
  answer.then(
    () => [],
    (error: { readonly faults: readonly { readonly field: string; readonly type: string }[] }) =>
      error.faults.map(({ field, type }) => `${field} ${type}`),
  );

async function sealedOf(endpointId: string): Promise<string[]> {
  const { rows } = await test.pool.query<{ sealed: string }>('SELECT sealed FROM endpoint_secret WHERE endpoint_id = $1', [endpointId]);
  return rows.map(({ sealed }) => openSecret(sealed, { keys: KEYS, endpointId }));
}

const KINDS: readonly (readonly [string, Partial<webhook.CreateEndpointRequest>, string, string])[] = [
  ['Slack', { kind: EndpointKind.SLACK, url: SLACK }, 'https://hooks.slack.com/services/T0123456/B0123456/…', SLACK],
  ['Discord', { kind: EndpointKind.DISCORD, url: DISCORD }, 'https://discord.com/api/webhooks/1094862910712345678/…', DISCORD],
  [
    'Telegram',
    { kind: EndpointKind.TELEGRAM, url: '', botToken: BOT_TOKEN, chatId: '@desk_alerts' },
    'https://api.telegram.org/',
    BOT_TOKEN,
  ],
  ['PagerDuty', { kind: EndpointKind.PAGERDUTY, url: '', routingKey: ROUTING_KEY }, 'https://events.pagerduty.com/v2/enqueue', ROUTING_KEY],
  [
    'a compatible service',
    { kind: EndpointKind.SLACK, url: 'https://chat.example.com/hooks/aBcDeFgHiJ?x=1' },
    'https://chat.example.com/hooks/…',
    'https://chat.example.com/hooks/aBcDeFgHiJ?x=1',
  ],
  [
    'Discord in the form of Slack',
    { kind: EndpointKind.SLACK, url: `${DISCORD}/slack` },
    'https://discord.com/api/webhooks/1094862910712345678/…',
    `${DISCORD}/slack`,
  ],
  [
    'a service with its token in the middle',
    { kind: EndpointKind.SLACK, url: 'https://chat.example.com/in/tOkEnInPaTh/post?x=1' },
    'https://chat.example.com/…',
    'https://chat.example.com/in/tOkEnInPaTh/post?x=1',
  ],
  [
    'a service with its token in the query',
    { kind: EndpointKind.SLACK, url: 'https://chat.example.com/?key=tOkEnInQuErY' },
    'https://chat.example.com/…',
    'https://chat.example.com/?key=tOkEnInQuErY',
  ],
];
it.each(KINDS)('%s: its credential is stored sealed, and neither returned nor logged', async (_name, request, url, credential) => {
  const { endpointId, secret } = await test.create(request);
  expect(secret).toBe('');
  expect(await read(endpointId)).toMatchObject({ kind: request.kind, url, secrets: [], status: EndpointStatus.TEST_PENDING });
  expect(await sealedOf(endpointId)).toEqual([credential]);
  const token = credential.split(/[/:?=]/).findLast((part) => part.length > 8 && !url.includes(part)) ?? '';
  const { rows } = await test.pool.query<{ dump: string }>(
    `SELECT (SELECT string_agg(endpoint::text, '') FROM endpoint) || (SELECT string_agg(endpoint_secret::text, '') FROM endpoint_secret) AS dump`,
  );
  const listed = JSON.stringify(await test.endpoints.listEndpoints({ tenantId: TENANT, pageSize: 100, pageToken: '' }));
  for (const text of [rows[0]?.dump, listed, logged]) expect(text).not.toContain(token);
  await expect(test.endpoints.rotateSecret({ ...of(endpointId), graceHours: 0 })).rejects.toMatchObject({ reason: 'no_signing_secret' });
});

it('reports every fault of a destination at once', async () => {
  const none = { url: '' };
  expect(await faultsOf(test.create({ ...none, kind: EndpointKind.SLACK }))).toEqual(['url missing']);
  expect(
    await faultsOf(test.create({ ...none, kind: EndpointKind.TELEGRAM, botToken: 'x', routingKey: ROUTING_KEY, digestMinutes: 2_000 })),
  ).toEqual(['chat_id missing', 'routing_key unsupported', 'bot_token malformed', 'digest_minutes out_of_range']);
  expect(await faultsOf(test.create({ kind: EndpointKind.PAGERDUTY, url: PRIVATE_URL, routingKey: 'short', digestMinutes: 5 }))).toEqual([
    'routing_key malformed',
    'digest_minutes unsupported',
    'url url_not_allowed',
  ]);
  expect(await faultsOf(test.create({ kind: EndpointKind.SLACK, url: 'https://hooks.slack.com/workflows/T1/2' }))).toEqual([
    'url malformed',
  ]);
  expect(await faultsOf(test.create({ kind: EndpointKind.DISCORD, url: 'https://discord.com/channels/1/2' }))).toEqual(['url malformed']);
  expect(await faultsOf(test.create({ digestMinutes: 5 }))).toEqual(['digest_minutes unsupported']);
});

it.each([
  'a',
  'a@b',
  'a b@example.org',
  'a@example.org,b@example.org',
  '"a"@example.org',
  'a@[127.0.0.1]',
  'a@example.org\r\nBcc: b@example.org',
  `${'x'.repeat(65)}@example.org`,
])('%j is no address of an email', async (email) => {
  expect(await faultsOf(test.create({ kind: EndpointKind.EMAIL, url: '', email }))).toEqual(['email malformed']);
});

it('a new credential replaces the old one and needs a test; a new digest does not', async () => {
  const endpointId = await test.live({ kind: EndpointKind.SLACK, url: SLACK });
  expect(await update(endpointId, { digestMinutes: 15, description: 'desk' })).toMatchObject({
    status: EndpointStatus.LIVE,
    digestMinutes: 15,
  });
  const other = SLACK.replace('sLaCk', 'oThEr');
  expect(await update(endpointId, { url: other })).toMatchObject({ status: EndpointStatus.DISABLED, disabledReason: 'url_changed' });
  expect(await sealedOf(endpointId)).toEqual([other]);
  expect(await faultsOf(update(endpointId, { botToken: BOT_TOKEN }))).toEqual(['bot_token unsupported']);
});

it('a Telegram chat can change without the token', async () => {
  const endpointId = await test.live({ kind: EndpointKind.TELEGRAM, url: '', botToken: BOT_TOKEN, chatId: '1' });
  expect(await update(endpointId, { chatId: '-1001' })).toMatchObject({ chatId: '-1001', disabledReason: 'url_changed' });
  expect(await sealedOf(endpointId)).toEqual([BOT_TOKEN]);
});

it('a message is sent again to a destination', async () => {
  const endpointId = await test.live({ kind: EndpointKind.SLACK, url: SLACK });
  const [messageId = ''] = await test.report({});
  await test.attempt('status_500');
  const { delivery } = await test.messages.resendMessage({ ...of(endpointId), messageId });
  expect(delivery).toMatchObject({ status: 'waiting' });
});

it('sealing keys of credentials can be replaced', async () => {
  const { endpointId } = await test.create({ kind: EndpointKind.PAGERDUTY, url: '', routingKey: ROUTING_KEY });
  await test.pool.query(`UPDATE endpoint_secret SET sealed = 'k0:' || split_part(sealed, ':', 2) WHERE endpoint_id = $1`, [endpointId]);
  expect(await test.endpoints.resealSecrets({})).toMatchObject({ keyId: 'k1', unreadable: 1 });
  await test.pool.query('DELETE FROM endpoint_secret WHERE endpoint_id = $1', [endpointId]);
});

describe('an email', () => {
  const CODE = '01234567';
  const HALF_HOUR_MS = 30 * 60_000;

  async function withCode(expiresMs: number): Promise<string> {
    const { endpointId } = await test.create({ kind: EndpointKind.EMAIL, url: '', email: 'ops@example.org' });
    const sealed = sealSecret(CODE, { keys: KEYS, endpointId, nonce: randomBytes(12) });
    await test.pool.query('UPDATE endpoint SET confirmation = $2 WHERE endpoint_id = $1', [endpointId, { sealed, expiresMs, wrong: 0 }]);
    return endpointId;
  }
  const confirm = (endpointId: string, code: string, tenantId = TENANT) => test.endpoints.confirmEndpoint({ tenantId, endpointId, code });

  it('goes live by its code, once', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    expect(await read(endpointId)).toMatchObject({ url: 'mailto:ops@example.org', confirmedMs: 0, status: EndpointStatus.TEST_PENDING });
    const { endpoint } = await confirm(endpointId, '0123 4567');
    expect(endpoint).toMatchObject({ status: EndpointStatus.LIVE, confirmedMs: expect.any(Number) as number });
    expect((await confirm(endpointId, 'anything')).endpoint?.status).toBe(EndpointStatus.LIVE);
  });

  it('does not go live by a test whose mail was accepted', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    const answer = test.endpoints.testEndpoint(of(endpointId));
    await test.testDue(endpointId);
    await test.pool.query(`DELETE FROM delivery WHERE endpoint_id <> $1 AND status = 'waiting'`, [endpointId]);
    await test.attempt('mail_deferred');
    expect(await answer).toMatchObject({ endpoint: { status: EndpointStatus.TEST_PENDING }, attempt: { outcome: 'mail_deferred' } });
  });

  it('refuses a wrong code, five times at most, and an old one', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    for (let time = 0; time < 5; time += 1) expect(await faultsOf(confirm(endpointId, '99999999'))).toEqual(['code wrong_code']);
    expect(await faultsOf(confirm(endpointId, CODE))).toEqual(['code expired']);
    expect(await faultsOf(confirm(await withCode(test.nowMs()), CODE))).toEqual(['code expired']);
  });

  it('whose code cannot be opened is not confirmed by a blank one', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    await test.pool.query(
      `UPDATE endpoint SET confirmation = jsonb_set(confirmation, '{sealed}', to_jsonb('k0:' || split_part(confirmation ->> 'sealed', ':', 2)))
       WHERE endpoint_id = $1`,
      [endpointId],
    );
    for (const code of [' ', '   ', CODE]) expect(await faultsOf(confirm(endpointId, code))).toEqual(['code expired']);
    expect(await read(endpointId)).toMatchObject({ confirmedMs: 0, status: EndpointStatus.TEST_PENDING });
  });

  it('with another address must be confirmed again', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    await confirm(endpointId, CODE);
    expect(await update(endpointId, { email: 'ops@example.org' })).toMatchObject({ status: EndpointStatus.LIVE });
    expect(await update(endpointId, { email: 'other@example.org' })).toMatchObject({ disabledReason: 'url_changed', confirmedMs: 0 });
    expect(await faultsOf(confirm(endpointId, CODE))).toEqual(['code expired']);
  });

  describe('whose recipient unsubscribes', () => {
    const tokenOf = (endpointId: string, urlRevision = 1) => writeUnsubscribeToken(KEYS, { endpointId, urlRevision });
    const unsubscribe = (token: string) => test.endpoints.unsubscribeEndpoint({ token });
    async function confirmed(): Promise<string> {
      const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
      await confirm(endpointId, CODE);
      return endpointId;
    }

    it('gets nothing more, without login and however often it is repeated, until it is confirmed again', async () => {
      const endpointId = await confirmed();
      const other = await test.live({ url: PUBLIC_URL, eventKinds: ['endpoint.disabled'] });
      for (let time = 0; time < 2; time += 1) await unsubscribe(tokenOf(endpointId));
      expect(await read(endpointId)).toMatchObject({ disabledReason: 'unsubscribed', confirmedMs: 0, status: EndpointStatus.DISABLED });
      const { rows } = await test.pool.query('SELECT FROM delivery WHERE endpoint_id = $1 AND event_kind = $2', [
        other,
        'endpoint.disabled',
      ]);
      expect(rows).toHaveLength(1);
      await expect(test.endpoints.testEndpoint(of(endpointId))).rejects.toMatchObject({ reason: 'endpoint_disabled' });
      await test.endpoints.enableEndpoint(of(endpointId));
      expect(await read(endpointId)).toMatchObject({ confirmedMs: 0, status: EndpointStatus.TEST_PENDING });
    });

    it('is named by its own token only', async () => {
      const [endpointId, other] = [await confirmed(), await confirmed()];
      const [, , signature = ''] = tokenOf(other).split('.');
      const forged = writeUnsubscribeToken([{ id: 'k1', key: randomBytes(32) }], { endpointId, urlRevision: 1 });
      for (const token of ['', 'x', forged, `${endpointId}.1.${signature}`, `${tokenOf(endpointId)}x`])
        await expect(unsubscribe(token)).rejects.toMatchObject({ reason: 'unknown_endpoint' });
      await unsubscribe(tokenOf(endpointId, 2));
      for (const id of [endpointId, other]) expect(await read(id)).toMatchObject({ status: EndpointStatus.LIVE });
    });
  });

  it('of another tenant is missing, and other kinds have no code', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    await expect(confirm(endpointId, CODE, 'ten_other')).rejects.toMatchObject({ reason: 'unknown_endpoint' });
    const { endpointId: hook } = await test.create();
    expect(await faultsOf(confirm(hook, CODE))).toEqual(['code unsupported']);
  });

  it('that is disabled must be enabled before it is confirmed', async () => {
    const endpointId = await withCode(test.nowMs() + HALF_HOUR_MS);
    await update(endpointId, { disabled: true });
    await expect(confirm(endpointId, CODE)).rejects.toMatchObject({ reason: 'endpoint_disabled' });
  });
});

import { waitUntil } from '@market-state/testing';
import type { ApiAnswer, ApiName } from './destination-apis';
import { CREDENTIALS, ERRORS } from './destination-apis';
import { alertData, type DestinationsUnderTest, openDestinations, PORTAL } from './destinations-under-test';

let test_: DestinationsUnderTest;
beforeAll(async () => {
  test_ = await openDestinations();
}, 60_000);
afterEach(async () => {
  expect(test_.apis.faults).toEqual([]);
  await test_.reset();
}, 60_000);
afterAll(() => test_.close(), 60_000);

const APIS: readonly ApiName[] = ['slack', 'discord', 'telegram', 'pagerduty'];
const WINDOW = `${PORTAL}/replay?symbol=BTCUSD-PERP&at=2026-11-29T12%3A00%3A09.999Z`;
const alert = (phase: 'triggered' | 'recovered', name?: string) => ({ symbol: 'BTCUSD-PERP', data: alertData(phase, name) });
const delivered = (total: number) => waitUntil(`${total} deliveries`, async () => (await test_.statuses())['delivered'] === total);

test('an alert reaches each destination in its own form, with a link to the window, and costs a credit each', async () => {
  for (const api of APIS) await test_.add(api);
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await delivered(4);
  const [slack, discord, telegram, pagerduty] = APIS.map((api) => test_.apis.at(api)[0]);
  expect(slack).toMatchObject({
    text: [
      '*stress: BTCUSD-PERP triggered*',
      'Condition: severity is high context (0.8235); threshold: elevated context',
      'Window until: 2026-11-29 12:00:09 UTC',
      `<${WINDOW}|Open this window>`,
      'Market context only: not a signal, advice or an instruction.',
    ].join('\n'),
  });
  expect(discord).toMatchObject({
    embeds: [{ description: expect.stringContaining(`[Open this window](${WINDOW})`) as string, color: 0xd9_36_3e }],
    allowed_mentions: { parse: [] },
  });
  expect(telegram).toMatchObject({
    chat_id: '-1001',
    parse_mode: 'HTML',
    text: expect.stringContaining(`<a href="${WINDOW.replaceAll('&', '&amp;')}">Open this window</a>`) as string,
  });
  expect(pagerduty).toMatchObject({
    event_action: 'trigger',
    dedup_key: 'ep_1',
    links: [{ href: WINDOW, text: 'Open this window' }],
    payload: { summary: 'stress: BTCUSD-PERP triggered', source: 'BTCUSD-PERP', severity: 'error', class: 'alert.triggered' },
  });
  await waitUntil('the credits', () => test_.ledger.charged.size === 4);
  expect((await test_.receipts()).map(({ outcome, reason }) => [outcome, reason])).toEqual(APIS.map(() => ['ok', '']));
});

test('a recovery resolves the incident that its trigger opened', async () => {
  await test_.add('pagerduty');
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await delivered(1);
  await test_.report(1, alert('recovered'));
  await delivered(2);
  expect(test_.apis.at('pagerduty').map((event) => [event['event_action'], event['dedup_key']])).toEqual([
    ['trigger', 'ep_1'],
    ['resolve', 'ep_1'],
  ]);
});

test('a name cannot mention people, add links or break the markup', async () => {
  for (const api of APIS) await test_.add(api);
  await test_.startWorker();
  await test_.report(1, alert('triggered', '<!channel> @everyone <b>[x](https://evil.example)</b> *'));
  await delivered(4);
  expect(String(test_.apis.at('slack')[0]?.['text'])).toMatch(/^\*&lt;!channel&gt; @everyone &lt;b&gt;/);
  const [embed] = test_.apis.at('discord')[0]?.['embeds'] as readonly { readonly description: string }[];
  expect(embed?.description).toContain(String.raw`\@everyone`);
  expect(embed?.description).toContain(String.raw`\[x\]\(https`);
  expect(String(test_.apis.at('telegram')[0]?.['text'])).toContain('&lt;b&gt;');
});

const LIMITS: readonly (readonly [ApiName, ApiAnswer, string])[] = [
  ['slack', ERRORS.slack.rateLimited(1), 'Slack accepts no more messages for 1 s (rate limit)'],
  ['discord', ERRORS.discord.rateLimited(1.3), 'Discord accepts no more messages for 2 s (rate limit)'],
  ['telegram', ERRORS.telegram.rateLimited(2), 'Telegram accepts no more messages for 2 s (rate limit)'],
  ['pagerduty', ERRORS.pagerduty.rateLimited, 'PagerDuty accepts no more messages for 30 s (rate limit)'],
];
test.each(LIMITS)(
  '%s: a rate limit pauses the destination for as long as its answer says, and loses nothing',
  async (api, answer, reason) => {
    await test_.add(api);
    test_.apis.script(api, answer);
    await test_.startWorker({ hurry: 20 });
    await test_.report(3, alert('triggered'));
    await delivered(3);
    const [first, second] = test_.apis.received;
    const pauseMs = Number(/for (\d+) s/.exec(reason)?.[1]) * 1_000;
    // A twentieth of the real time; Discord's 1.3 s is announced as 2 s.
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual((api === 'discord' ? 1_300 : pauseMs) / 20 - 5);
    expect(test_.apis.received).toHaveLength(4);
    expect((await test_.receipts()).map((receipt) => receipt.reason).filter((text) => text !== '')).toEqual([reason]);
  },
  30_000,
);

const REFUSALS: readonly (readonly [ApiName, string, ApiAnswer, string])[] = [
  ['slack', 'no_service', ERRORS.slack.noService, 'Slack refuses messages: the incoming webhook was removed or disabled (no_service)'],
  ['slack', 'an archived channel', ERRORS.slack.archived, 'Slack refuses messages: the channel is archived (channel_is_archived)'],
  ['discord', 'a deleted webhook', ERRORS.discord.unknownWebhook, 'the webhook was deleted or its address is wrong (Unknown Webhook)'],
  ['telegram', 'a blocked bot', ERRORS.telegram.blocked, 'Telegram refuses messages to this chat (Forbidden: bot was blocked by the user)'],
  ['telegram', 'an unknown chat', ERRORS.telegram.noChat, 'Telegram refuses messages to this chat (Bad Request: chat not found)'],
  ['telegram', 'a group that moved', ERRORS.telegram.migrated, 'change chat_id to -1001234567890'],
  ['telegram', 'a revoked token', ERRORS.telegram.unauthorized, 'Telegram refuses the bot token (Unauthorized)'],
  [
    'pagerduty',
    'an unknown key',
    ERRORS.pagerduty.invalidKey,
    'PagerDuty refuses the routing key (Event object is invalid; Invalid routing key)',
  ],
];
test.each(REFUSALS)('%s: %s disables the destination at once, with the reason', async (api, _what, answer, reason) => {
  const endpointId = await test_.add(api);
  test_.apis.script(api, answer);
  await test_.startWorker();
  await test_.report(2, alert('triggered'));
  await waitUntil('the end', async () => (await test_.endpointOf(endpointId))?.status === 'disabled');
  expect(await test_.endpointOf(endpointId)).toEqual({ status: 'disabled', disabled_reason: 'destination_refused' });
  const [receipt] = await test_.receipts();
  expect(receipt?.reason).toContain(reason);
  await waitUntil('the end of both', async () => (await test_.statuses())['endpoint_disabled'] === 2);
  expect(test_.apis.received).toHaveLength(1);
});

const UNACCEPTABLE: readonly (readonly [ApiName, ApiAnswer, string])[] = [
  ['slack', ERRORS.slack.invalidPayload, 'Slack does not accept this message (invalid_payload)'],
  ['discord', ERRORS.discord.emptyMessage, 'Discord does not accept this message (Cannot send an empty message)'],
  ['telegram', ERRORS.telegram.cannotParse, "Telegram does not accept this message (Bad Request: can't parse entities)"],
  [
    'pagerduty',
    ERRORS.pagerduty.invalidEvent,
    "PagerDuty does not accept this event (Event object is invalid; 'payload.severity' is invalid)",
  ],
];
test.each(UNACCEPTABLE)('%s: a message that is not accepted is tried once, and the next one is sent', async (api, answer, reason) => {
  const endpointId = await test_.add(api);
  test_.apis.script(api, answer);
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await waitUntil('the end', async () => (await test_.statuses())['exhausted'] === 1);
  await test_.report(1, alert('recovered'));
  await delivered(1);
  expect((await test_.receipts())[0]).toMatchObject({ reason, next: null });
  expect((await test_.endpointOf(endpointId))?.status).toBe('live');
  expect(test_.ledger.charged.size).toBe(1);
});

test.each([
  ['slack', ERRORS.slack.rollup],
  ['pagerduty', ERRORS.pagerduty.internal],
] as const)('%s: a fault of the service itself is tried again', async (api, answer) => {
  await test_.add(api);
  test_.apis.script(api, answer);
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await delivered(1);
  expect((await test_.receipts()).map(({ outcome }) => outcome)).toEqual(['status_500', 'ok']);
});

test('an answer that quotes the credential is stored without it', async () => {
  await test_.add('telegram');
  test_.apis.script('telegram', { status: 400, body: { ok: false, description: `bad path /bot${CREDENTIALS.telegram}/sendMessage` } });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await waitUntil('the end', async () => (await test_.statuses())['exhausted'] === 1);
  const { rows } = await test_.pool.query<{ all: string }>(`SELECT string_agg(attempt::text, '') AS all FROM attempt`);
  expect(rows[0]?.all).toContain('[redacted]');
  expect(rows[0]?.all).not.toContain(CREDENTIALS.telegram.split(':')[1]);
});

test('an answer that quotes a token followed by a suffix is stored without the token', async () => {
  const token = CREDENTIALS.discord.split('/').at(-1) ?? '';
  await test_.add('slack', { credential: `${test_.apis.origin}${CREDENTIALS.discord}/slack?thread=tHrEaD123` });
  test_.apis.script('slack', { status: 400, body: `no webhook ${token} in tHrEaD123` });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await waitUntil('the end', async () => (await test_.statuses())['exhausted'] === 1);
  expect(await test_.receipts()).toMatchObject([{ snippet: 'no webhook [redacted] in [redacted]' }]);
});

test('a credential that cannot be opened sends nothing', async () => {
  const endpointId = await test_.add('slack');
  await test_.pool.query(`UPDATE endpoint_secret SET sealed = left(sealed, -8) || 'AAAAAAA=' WHERE endpoint_id = $1`, [endpointId]);
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await waitUntil('a receipt', async () => (await test_.receipts()).length > 0);
  expect((await test_.receipts())[0]?.outcome).toBe('secret_unreadable');
  expect(test_.apis.received).toEqual([]);
});

test('messages to one chat go one after the other, in order', async () => {
  await test_.add('slack');
  await test_.startWorker();
  await test_.startWorker();
  for (let number = 0; number < 8; number += 1) await test_.report(1, alert('triggered', `rule ${number}`));
  await delivered(8);
  expect(test_.apis.at('slack').map((body) => /rule \d/.exec(String(body['text']))?.[0])).toEqual(
    Array.from({ length: 8 }, (_, number) => `rule ${number}`),
  );
});

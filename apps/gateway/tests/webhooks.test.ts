import { account as accountContract } from '@market-state/contracts';
import { type BootedGateway, bootGateway, SYMBOLS } from './stand-in/boot';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import type { RawResponse } from './stand-in/http-client';
import { DONE_TASK, SENT_MESSAGE } from './stand-in/webhook';
import { ENDPOINTS_MAX, LIVE_ENDPOINT, REFUSED_URL, SECRET } from './stand-in/webhook-endpoints';

const WEBHOOKS = '/api/public/market-state/webhooks';
const LIVE = `${WEBHOOKS}/${LIVE_ENDPOINT}`;
const REQUEST = { url: 'https://hooks.example.com/market', event_kinds: ['alert.triggered', 'endpoint.disabled'] };
const DAY_MS = 86_400_000;

const minuteAgo = (): string => new Date(Date.now() - 60_000).toISOString();

describe('webhook endpoints', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const send = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> =>
    booted.keyed(path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
  const faultsOf = (response: RawResponse) =>
    response.json<{ readonly detail: readonly { readonly loc: readonly string[]; readonly type: string }[] }>().detail;

  it('are registered with a secret that only this answer has', async () => {
    const made = await send('POST', WEBHOOKS, { ...REQUEST, symbols: ['BTCUSD-PERP'], description: 'pager' }, { 'idempotency-key': 'one' });
    expect(made.status).toBe(200);
    const { webhook_id: id } = made.json<{ readonly webhook_id: string }>();
    expect(made.headers['location']).toBe(`${WEBHOOKS}/${id}`);
    expect(made.json()).toMatchObject({
      ...REQUEST,
      symbols: ['BTCUSD-PERP'],
      status: 'test_pending',
      disabled_reason: null,
      secret: SECRET,
    });
    const again = await send(
      'POST',
      WEBHOOKS,
      { ...REQUEST, symbols: ['BTCUSD-PERP'], description: 'pager' },
      { 'idempotency-key': 'one' },
    );
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([made.text, 'true']);
    for (const path of [WEBHOOKS, `${WEBHOOKS}/${id}`]) expect((await booted.keyed(path)).text).not.toContain('whsec_');
  });

  it('are not registered or changed for a symbol that is not served: 404 with those served', async () => {
    const symbols = ['BTCUSD-PERP', 'QUSD-PERP'];
    for (const refused of [await send('POST', WEBHOOKS, { ...REQUEST, symbols }), await send('PATCH', LIVE, { symbols })])
      expect([refused.status, refused.json()]).toMatchObject([
        404,
        { code: 'unknown_symbol', symbols_served: [...SYMBOLS, SIMULATED_SYMBOL] },
      ]);
    expect((await booted.keyed(LIVE)).json()).toMatchObject({ symbols: [] });
  });

  it.each([
    ['no kinds', { ...REQUEST, event_kinds: [] }, 'event_kinds'],
    ['an unknown kind', { ...REQUEST, event_kinds: ['trade.made'] }, 'event_kinds'],
    ['plain http', { ...REQUEST, url: 'http://hooks.example.com/' }, 'url'],
    ['too many symbols', { ...REQUEST, symbols: Array.from({ length: 21 }, (_, index) => `A${index}USD-PERP`) }, 'symbols'],
  ])('with %s are refused', async (_what, body, field) => {
    const refused = await send('POST', WEBHOOKS, body);
    expect(refused.status).toBe(422);
    expect(faultsOf(refused)[0]?.loc.slice(0, 2)).toEqual(['body', field]);
  });

  it('whose address the guard refuses are 422, new and changed', async () => {
    const fault = { loc: ['body', 'url'], type: 'url_not_allowed' };
    expect(faultsOf(await send('POST', WEBHOOKS, { ...REQUEST, url: REFUSED_URL }))).toMatchObject([fault]);
    expect(faultsOf(await send('PATCH', LIVE, { url: REFUSED_URL }))).toMatchObject([fault]);
  });

  it('beyond the plan are 409 with the limit', async () => {
    for (let total = 2; total < ENDPOINTS_MAX; total += 1) expect((await send('POST', WEBHOOKS, REQUEST)).status).toBe(200);
    const refused = await send('POST', WEBHOOKS, REQUEST);
    expect(refused.json()).toMatchObject({ status: 409, code: 'too_many_endpoints', limit: ENDPOINTS_MAX });
  });

  it('are listed page by page', async () => {
    await send('POST', WEBHOOKS, REQUEST);
    const ids: unknown[] = [];
    let cursor: unknown = '';
    do {
      const page = (await booted.keyed(`${WEBHOOKS}?limit=1&cursor=${String(cursor)}`)).json<Record<string, unknown>>();
      ids.push(...(page['webhooks'] as { readonly webhook_id: string }[]).map(({ webhook_id }) => webhook_id));
      cursor = page['next_cursor'];
    } while (cursor !== null);
    expect(ids).toEqual(['we_1', 'we_spare', LIVE_ENDPOINT]);
  });

  it('go live by a test, which is free and shows its receipt', async () => {
    const { webhook_id: id } = (await send('POST', WEBHOOKS, REQUEST)).json<{ readonly webhook_id: string }>();
    for (const route of ['recover', 'replay-missing']) {
      const refused = await send('POST', `${WEBHOOKS}/${id}/${route}`, { since: minuteAgo() });
      expect(refused.json()).toMatchObject({ status: 409, code: 'test_required' });
    }
    const tested = await send('POST', `${WEBHOOKS}/${id}/test`);
    expect([tested.status, tested.headers['x-credits-charged']]).toEqual([200, '0']);
    expect(tested.json()).toMatchObject({ succeeded: true, webhook: { status: 'live' }, attempt: { outcome: 'ok', number: 1 } });
    expect((await send('POST', `${WEBHOOKS}/${id}/recover`, { since: minuteAgo() })).status).toBe(200);
  });

  it('that are disabled are distinguished from unverified ones', async () => {
    await send('PATCH', LIVE, { disabled: true });
    const refused = { status: 409, code: 'endpoint_not_live', disabled_reason: 'owner' };
    expect((await send('POST', `${LIVE}/test`)).json()).toMatchObject(refused);
    expect((await send('POST', `${WEBHOOKS}/events/${SENT_MESSAGE}/resend`, { webhook_id: LIVE_ENDPOINT })).json()).toMatchObject(refused);
    expect((await send('POST', `${LIVE}/enable`)).json()).toMatchObject({ status: 'test_pending', disabled_reason: null });
    const moved = await send('PATCH', LIVE, { url: 'https://other.example.com/' });
    expect(moved.json()).toMatchObject({ status: 'disabled', disabled_reason: 'url_changed' });
  });

  it('get new secrets, and old ones keep signing for a day by default', async () => {
    const rotated = await send('POST', `${LIVE}/rotate-secret`);
    expect(rotated.json()).toMatchObject({ secret: SECRET, secrets: [{ expires_at_utc: null }, { expires_at_utc: expect.any(String) }] });
    const { secrets } = rotated.json<{ readonly secrets: readonly Record<'created_at_utc' | 'expires_at_utc', string>[] }>();
    expect(Date.parse(secrets[1]?.expires_at_utc ?? '') - Date.parse(secrets[0]?.created_at_utc ?? '')).toBe(DAY_MS);
    expect((await send('POST', `${LIVE}/rotate-secret`, { grace_hours: 0 })).json()).toMatchObject({ secrets: [{ expires_at_utc: null }] });
    expect((await send('POST', `${LIVE}/rotate-secret`, { grace_hours: 169 })).status).toBe(422);
  });

  it('pass the operation of an Idempotency-Key on with each rotation and task', async () => {
    const since = minuteAgo();
    await send('POST', `${LIVE}/rotate-secret`, undefined, { 'idempotency-key': 'rotate' });
    await send('POST', `${LIVE}/recover`, { since }, { 'idempotency-key': 'recover' });
    await send('POST', `${LIVE}/replay-missing`, { since }, { 'idempotency-key': 'replay' });
    const operation = expect.stringMatching(/^op_/);
    expect(booted.webhooks.operations).toEqual([operation, operation, operation]);
    expect(new Set(booted.webhooks.operations).size).toBe(3);
  });

  it('take tasks of the last 14 days alone', async () => {
    const since = new Date(Date.now() - 15 * DAY_MS).toISOString();
    for (const route of ['recover', 'replay-missing']) {
      const refused = await send('POST', `${LIVE}/${route}`, { since });
      expect(faultsOf(refused)).toMatchObject([{ loc: ['body', 'since'], type: 'beyond_retention' }]);
      expect((await send('POST', `${LIVE}/${route}`, {})).status).toBe(422);
    }
    for (const route of ['recover', 'replay-missing']) {
      const refused = await send('POST', `${LIVE}/${route}`, { since: '2099-11-01T00:00:00Z' });
      expect([refused.status, faultsOf(refused)]).toMatchObject([422, [{ loc: ['body', 'since'], type: 'in_the_future' }]]);
    }
    const done = await booted.keyed(`${WEBHOOKS}/tasks/${DONE_TASK}`);
    expect(done.json()).toMatchObject({ task_id: DONE_TASK, kind: 'recover', status: 'done', found: 2, delivered: 2, failed: 0 });
  });

  it('and all that belongs to them are 404 to another tenant', async () => {
    const key = booted.account.issue({ tenantId: 'ten_other', scopes: [accountContract.Scope.AUTOMATION] });
    const asks: readonly (readonly [string, string, object?])[] = [
      ['GET', LIVE],
      ['PATCH', LIVE, { description: 'x' }],
      ['DELETE', LIVE],
      ['POST', `${LIVE}/test`],
      ['POST', `${LIVE}/rotate-secret`],
      ['POST', `${LIVE}/enable`],
      ['POST', `${LIVE}/recover`, { since: minuteAgo() }],
      ['POST', `${LIVE}/replay-missing`, { since: minuteAgo() }],
      ['GET', `${WEBHOOKS}/tasks/${DONE_TASK}`],
      ['GET', `${WEBHOOKS}/deliveries?webhook_id=${LIVE_ENDPOINT}`],
      ['GET', `${WEBHOOKS}/events/${SENT_MESSAGE}`],
      ['POST', `${WEBHOOKS}/events/${SENT_MESSAGE}/resend`, { webhook_id: LIVE_ENDPOINT }],
    ];
    for (const [method, path, body] of asks) {
      const answer = await send(method, path, body, { 'x-market-state-api-key': key });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const lists = ['', '/deliveries', '/events'].map(
      async (path) => (await send('GET', WEBHOOKS + path, undefined, { 'x-market-state-api-key': key })).json()['row_total'],
    );
    expect(await Promise.all(lists)).toEqual([0, 0, 0]);
  });

  it('do not affect other routes', async () => {
    for (const [method, path] of [
      ['PATCH', '/deliveries'],
      ['DELETE', '/events'],
      ['POST', '/events'],
    ] as const) {
      expect([path, (await send(method, WEBHOOKS + path)).status]).toEqual([path, 405]);
    }
  });
});

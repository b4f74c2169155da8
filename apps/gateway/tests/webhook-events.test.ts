import { account as accountContract } from '@market-state/contracts';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { SENT_MESSAGE } from './stand-in/webhook';
import { LIVE_ENDPOINT } from './stand-in/webhook-endpoints';

const WEBHOOKS = '/api/public/market-state/webhooks';
const EVENTS = `${WEBHOOKS}/events`;
const TRIAL = { planId: 'trial', ratePerSecond: 1_000, burst: 1_000 };
/** Limit of a trial on streams, and on the weight of calls in flight. */
const STREAMS = 5;

interface Page {
  readonly events: readonly { readonly id: string; readonly type: string }[];
  readonly next_cursor: string;
}

describe('messages to pull', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const pull = async (query: string): Promise<Page> => (await booted.keyed(`${EVENTS}?${query}`)).json<Page>();

  it('come in their order with a cursor that stands still until there are more', async () => {
    const first = await pull('limit=1');
    expect(first.events.map(({ id }) => id)).toEqual([SENT_MESSAGE]);
    expect((await pull('')).events).toEqual(first.events);
    const none = await pull(`cursor=${first.next_cursor}`);
    expect(none).toMatchObject({ events: [], next_cursor: first.next_cursor });
    const reported = ['a', 'b', 'c'].map((job) => booted.webhooks.report('ten_1', 'export.finished', { job_id: job }));
    const next = await pull(`limit=2&cursor=${none.next_cursor}`);
    expect(next.events.map(({ id }) => id)).toEqual(reported.slice(0, 2));
    expect((await pull(`cursor=${next.next_cursor}`)).events.map(({ id }) => id)).toEqual(reported.slice(2));
  });

  it('are of the kinds that are asked for', async () => {
    booted.webhooks.report('ten_1', 'export.finished', {});
    expect((await pull('kinds=export.finished,webhook.test')).events.map(({ type }) => type)).toEqual(['export.finished']);
    for (const kinds of ['trade.made', 'export.finished,', ',']) expect((await booted.keyed(`${EVENTS}?kinds=${kinds}`)).status).toBe(422);
  });

  it('start at the newest for those who follow new ones alone', async () => {
    const start = await pull('start=now');
    expect(start.events).toEqual([]);
    const id = booted.webhooks.report('ten_1', 'alert.triggered', {});
    expect((await pull(`start=now&cursor=${start.next_cursor}`)).events.map((event) => event.id)).toEqual([id]);
    expect((await booted.keyed(`${EVENTS}?start=later`)).status).toBe(422);
  });

  it('are waited for', async () => {
    const { next_cursor: cursor } = await pull('');
    const waiting = pull(`wait_seconds=20&cursor=${cursor}`);
    await booted.until(() => booted.webhooks.waitingTotal() === 1);
    const id = booted.webhooks.report('ten_1', 'alert.triggered', { symbol: 'ETHUSD-PERP' });
    expect((await waiting).events).toMatchObject([{ id, type: 'alert.triggered', data: { symbol: 'ETHUSD-PERP' } }]);
    for (const wait of ['21', '-1', 'x']) expect((await booted.keyed(`${EVENTS}?wait_seconds=${wait}`)).status).toBe(422);
  });

  it('are waited for by a call that counts as a stream, not as a call in flight', async () => {
    const key = booted.account.issue({ tenantId: 'ten_trial', plan: TRIAL, scopes: [accountContract.Scope.AUTOMATION] });
    const ask = (query: string): Promise<RawResponse> => booted.get(`${EVENTS}?${query}`, { headers: { 'x-market-state-api-key': key } });
    const waiting = Array.from({ length: STREAMS }, () => ask('wait_seconds=20'));
    await booted.until(() => booted.webhooks.waitingTotal() === STREAMS);
    expect(booted.gateway.streams.open.total()).toBe(STREAMS);
    const refused = await ask('wait_seconds=1');
    expect([refused.status, refused.json()['code'], refused.headers['retry-after']]).toEqual([429, 'limit_reached', '5']);
    // A trial may have a weight of 8 in flight; five waiting calls of 1.5 each must not count against it.
    const plain = await Promise.all(Array.from({ length: STREAMS }, () => ask('')));
    expect(plain.map(({ status }) => status)).toEqual(plain.map(() => 200));
    booted.webhooks.report('ten_trial', 'export.finished', {});
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect(booted.gateway.streams.open.total()).toBe(0);
  });

  it('that are waited for when the gateway stops are answered at once, with the cursor where it stood', async () => {
    const { next_cursor: cursor } = await pull('');
    const waiting = pull(`wait_seconds=20&cursor=${cursor}`);
    await booted.until(() => booted.webhooks.waitingTotal() === 1);
    await booted.gateway.streams.open.close();
    expect(await waiting).toMatchObject({ events: [], next_cursor: cursor });
  });

  it('are not sent to a key that was revoked while it waited', async () => {
    const key = booted.account.issue({ tenantId: 'ten_1', scopes: [accountContract.Scope.AUTOMATION] });
    const { next_cursor: cursor } = await pull('');
    const waiting = booted.get(`${EVENTS}?wait_seconds=20&cursor=${cursor}`, { headers: { 'x-market-state-api-key': key } });
    await booted.until(() => booted.webhooks.waitingTotal() === 1);
    booted.account.revoke(key);
    expect((await waiting).status).toBe(401);
    expect([booted.webhooks.waitingTotal(), booted.gateway.streams.open.total()]).toEqual([0, 0]);
  });

  it('are let go with a caller who leaves', async () => {
    const { next_cursor: cursor } = await pull('');
    const leaving = new AbortController();
    const left = fetch(`${booted.gateway.url}${EVENTS}?wait_seconds=20&cursor=${cursor}`, {
      headers: { 'x-market-state-api-key': booted.key },
      signal: leaving.signal,
    }).catch(() => 'left');
    await booted.until(() => booted.webhooks.waitingTotal() === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await booted.until(() => booted.webhooks.waitingTotal() === 0);
    await booted.until(() => booted.gateway.streams.open.total() === 0);
  });

  it('are shown one by one with what became of them, and sent again', async () => {
    expect((await booted.keyed(`${EVENTS}/${SENT_MESSAGE}`)).json()).toMatchObject({
      message_id: SENT_MESSAGE,
      event_kind: 'alert.triggered',
      body: { id: SENT_MESSAGE, data: { phase: 'triggered' } },
      deliveries: [{ webhook_id: LIVE_ENDPOINT, status: 'delivered', market_state_credits: 1 }],
      attempts: [{ outcome: 'ok', status_code: 200 }],
    });
    const again = await booted.keyed(`${EVENTS}/${SENT_MESSAGE}/resend`, {
      method: 'POST',
      body: JSON.stringify({ webhook_id: LIVE_ENDPOINT }),
      headers: { 'content-type': 'application/json' },
    });
    expect(again.json()).toMatchObject({ message_id: SENT_MESSAGE, delivery: { status: 'waiting', webhook_id: LIVE_ENDPOINT } });
  });

  it('have receipts that are found by their outcome', async () => {
    expect((await booted.keyed(`${WEBHOOKS}/deliveries?outcome=ok&webhook_id=${LIVE_ENDPOINT}`)).json()).toMatchObject({ row_total: 1 });
    expect((await booted.keyed(`${WEBHOOKS}/deliveries?outcome=status_500`)).json()).toMatchObject({ row_total: 0, attempts: [] });
    expect((await booted.keyed(`${WEBHOOKS}/deliveries?outcome=good`)).status).toBe(422);
  });
});

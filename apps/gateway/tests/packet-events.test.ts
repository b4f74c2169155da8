import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { everyPage } from './stand-in/every-page';
import type { RawResponse } from './stand-in/http-client';
import { packetRecord } from './stand-in/packet-record';

const BASE = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const DELAY_MS = 600_000;

interface Packets {
  readonly packets: readonly { readonly event_id: string }[];
  readonly next_cursor: string | null;
  readonly lineage_verified: boolean;
}

/** In the middle of a window, so that the previous packet is known, even ten minutes ago. */
const nowMs = lastWindowEndMs() + 5_000;
const newestEndMs = lastWindowEndMs(nowMs);
/** Longer than a sandbox's ten minutes, but few: client, gateway and stand-ins share one event loop, and a call has 5 s. */
const ends = Array.from({ length: 150 }, (_end, index) => newestEndMs - (149 - index) * 10_000);
const idAt = (endMs: number): string => `evt_${SYMBOL}_${endMs}`;

let booted: BootedGateway;
let get: (path: string) => Promise<RawResponse>;
let sandbox: (path: string) => Promise<RawResponse>;
beforeAll(async () => {
  booted = await bootGateway({ now: () => nowMs, packets: false });
  for (const endMs of ends) booted.labeling.store(packetRecord(SYMBOL, endMs));
  get = (path) => booted.get(path, { headers: { 'x-market-state-api-key': booted.key } });
  const key = booted.account.issue({}, 'test');
  sandbox = (path) => booted.get(path, { headers: { 'x-market-state-api-key': key } });
});
afterAll(() => booted.close());

describe('replay', () => {
  it('gives the packets of the window that ends with the newest, oldest first, over pages of any size', async () => {
    for (const limit of [7, 100]) {
      const { ids } = await everyPage(get, `${BASE}/replay?replay_window_seconds=400&limit=${limit}`);
      expect(ids).toEqual(ends.slice(-40).map(idAt));
    }
  });

  it('opens with the replay cursor of a packet the window that ends with it', async () => {
    const { ids } = await everyPage(get, `${BASE}/replay?replay_window_seconds=60`);
    expect(ids).toEqual(ends.slice(-6).map(idAt));
    const older = await get(`${BASE}/replay?replay_window_seconds=60&cursor=rc1.${SYMBOL}.${ends[99]}`);
    expect(older.json<Packets>().packets.map(({ event_id: eventId }) => eventId)).toEqual(ends.slice(94, 100).map(idAt));
  });

  it('refuses a cursor of another symbol, window or instant, and one that is none', async () => {
    const { next_cursor: cursor } = (await get(`${BASE}/replay?limit=1`)).json<Packets>();
    for (const query of [
      `cursor=${cursor}&replay_window_seconds=60`,
      `cursor=${cursor}&symbol=ETHUSD-PERP`,
      `cursor=${cursor}&as_of=${nowMs}`,
      `cursor=rc1.ETHUSD-PERP.${newestEndMs}`,
      'cursor=WyJ4Il0',
    ]) {
      const response = await get(`${BASE}/replay?${query}`);
      expect(response.status).toBe(422);
      expect(response.json()).toMatchObject({ detail: [{ loc: ['query', 'cursor'] }] });
    }
  });

  it('is as of an instant, and 410 with the oldest time if nothing was stored then', async () => {
    const known = await get(`${BASE}/replay?replay_window_seconds=60&as_of=${(ends[140] ?? 0) + 1_210}`);
    expect(known.json<Packets>().packets.map(({ event_id: eventId }) => eventId)).toEqual(ends.slice(135, 141).map(idAt));
    const gone = await get(`${BASE}/replay?cursor=rc1.${SYMBOL}.${(ends[0] ?? 0) - 600_000}`);
    expect(gone.status).toBe(410);
    expect(gone.json()).toMatchObject({ code: 'beyond_retention', oldest_available_utc: new Date(ends[0] ?? 0).toISOString() });
  });

  it('does not say that a chain is verified whose digests do not follow from its packets', async () => {
    expect((await get(`${BASE}/replay?limit=5`)).json()).toMatchObject({
      lineage_verified: false,
      lineage_break: { fault: 'lineage_wrong' },
    });
  });
});

it.each(['replay?replay_window_seconds=1400', 'history?to=', 'events/search?q='])(
  '%s: more compact packets than a page has by default are one page',
  async (path) => {
    const answer = (await get(`${BASE}/${path}&limit=140&view=compact`)).json<{ rows?: []; packets?: []; next_cursor: string | null }>();
    expect((answer.rows ?? answer.packets)?.length).toBe(140);
  },
);

describe('history', () => {
  it('gives the rows of the window oldest first over pages, and spans of one state that nothing cuts', async () => {
    const { ids, pages } = await everyPage(get, `${BASE}/history?limit=40`);
    expect([ids, pages]).toEqual([ends.map(idAt), 4]);
    const { state_spans: spans } = (await get(`${BASE}/history?limit=1000`)).json<{ state_spans: object[] }>();
    expect(spans).toEqual([
      {
        state: expect.any(String),
        from_utc: expect.any(String),
        to_utc: expect.any(String),
        packet_total: 150,
        dwell_seconds: 1_500,
        begins_with: 'answer_ends',
        ends_with: 'answer_ends',
      },
    ]);
  });
});

describe('events/search', () => {
  it('gives events newest first over pages', async () => {
    expect((await everyPage(get, `${BASE}/events/search?limit=60&q=pressure`)).ids).toEqual(ends.toReversed().map(idAt));
  });

  it.each([
    ['0.5', 'must not contain numbers: only words of tags, reasons and state are searched'],
    ['%2C', 'must contain a word'],
  ])('refuses what would not be looked for: %s', async (q, msg) => {
    expect((await get(`${BASE}/events/search?q=${q}`)).json()).toMatchObject({ detail: [{ loc: ['query', 'q'], msg }] });
  });
});

it('every fault of a search is reported at once, whichever rule finds it', async () => {
  const [from, to] = [nowMs + 86_400_000, nowMs + 400 * 86_400_000];
  const { detail } = (await get(`${BASE}/labels/stability?limit=0&from=${from}&to=${to}`)).json<{ detail: { loc: string[] }[] }>();
  expect(detail.map(({ loc }) => loc[1]).sort()).toEqual(['from', 'limit', 'to']);
  const workload = await get(`${BASE}/tiers/simulator?calls_per_day[nonsense]=1&exports_per_month=x`);
  expect(workload.json<{ detail: { loc: string[] }[] }>().detail.map(({ loc }) => loc[1])).toEqual([
    'exports_per_month',
    'calls_per_day[nonsense]',
  ]);
  const search = (await get(`${BASE}/events/search?limit=0&q=0.5&tag=nonsense:a:hot`)).json<{ detail: { loc: string[] }[] }>();
  expect(search.detail.map(({ loc }) => loc[1]).sort()).toEqual(['limit', 'q', 'tag']);
});

describe('feedback', () => {
  it('keeps a judgement, says how it agrees, and gives one answer for one Idempotency-Key', async () => {
    const send = (label: string, headers: Readonly<Record<string, string>> = {}) =>
      booted.get(`${BASE}/feedback/packet`, {
        method: 'POST',
        body: JSON.stringify({ event_id: idAt(newestEndMs), label }),
        headers: { 'content-type': 'application/json', 'x-market-state-api-key': booted.key, ...headers },
      });
    expect((await send('useful')).json()).toMatchObject({
      event_id: idAt(newestEndMs),
      label: 'useful',
      note: null,
      replaced: false,
      agreement: { same_label_share: 1, event: { feedback_total: 1, agreement_share: 1 } },
    });
    const first = await send('useful', { 'idempotency-key': 'a' });
    expect(first.json()).toMatchObject({ replaced: true });
    expect((await send('useful', { 'idempotency-key': 'a' })).json()).toEqual(first.json());
    expect((await send('missing context')).json()).toMatchObject({ label: 'missing_context' });
  });

  it('takes nothing but a judgement on an event that there is', async () => {
    const send = (body: object) =>
      booted.get(`${BASE}/feedback/packet`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-market-state-api-key': booted.key },
      });
    expect((await send({ event_id: 'evt_none', label: 'useful' })).status).toBe(404);
    expect((await send({ event_id: idAt(newestEndMs), label: 'buy', size: 1 })).json()).toMatchObject({
      detail: expect.arrayContaining([
        expect.objectContaining({ loc: ['body', 'label'] }),
        expect.objectContaining({ loc: ['body', 'size'] }),
      ]),
    });
  });
});

test('stability has the validity of labels; what was not measured is null', async () => {
  const { validity } = (await get(`${BASE}/labels/stability`)).json<{ validity: unknown }>();
  expect(validity).toMatchObject({
    packet_total: 240,
    severity: {
      packet_total: 200,
      half_hour_total: 2,
      rank_correlations: { severity: { value: 0.5, low: 0.4, high: 0.6 }, last_60s: { value: 0.4 }, har: null },
      partial_given_last: { value: 0.2, low: null, high: null },
      partial_given_har: null,
      alarm_of_classes: null,
      alarm_of_share: { packet_total: 26, severity: 0.5, last_60s: 0.4, har: null },
    },
    severity_with_har: null,
    states: [
      { state: 'regime_transition_candidate', claims: 'higher', packet_total: 12, given_last: null, verdict: 'fewer_than_30_packets' },
    ],
  });
});

it('verifies one event at a time for each tenant, and the others wait, so that none takes all of labeling', async () => {
  const [one, other] = ['ten_one', 'ten_other'].map((tenantId) => booted.account.issue({ tenantId }));
  for (const tenantId of ['ten_one', 'ten_other']) booted.account.credits.grant(tenantId, 1_000);
  const verify = (key = '') => booted.get(`${BASE}/events/${idAt(newestEndMs)}/verify`, { headers: { 'x-market-state-api-key': key } });
  const { verifications } = booted.labeling;
  let release = (): void => undefined;
  verifications.release = new Promise((resolve) => (release = resolve));
  const calls = Array.from({ length: 6 }, () => verify(one));
  const refused = await Promise.race(calls);
  expect([refused.status, refused.json()['code'], refused.headers['x-credits-charged']]).toEqual([429, 'too_many_calls_at_once', '0']);
  const ofOther = verify(other);
  await booted.until(() => verifications.running === 2);
  release();
  verifications.release = undefined;
  expect((await ofOther).status).toBe(200);
  expect((await Promise.all(calls)).map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429]);
});

describe('a sandbox key', () => {
  it.each(['replay?replay_window_seconds=60', 'history?limit=30', 'events/search?limit=30', 'events/search?limit=1000'])(
    'gets of %s nothing younger than 600 s, page by page',
    async (path) => {
      const { ids } = await everyPage(sandbox, `${BASE}/${path}`);
      const newest = Math.max(...ids.map((id) => Number(id.split('_').at(-1))));
      expect(newest).toBe(ends.findLast((endMs) => endMs + 1_210 <= nowMs - DELAY_MS));
    },
  );

  it('gets 410 with the oldest instant for a time before the first packet, as a key without a sandbox does', async () => {
    const oldest = packetRecord(SYMBOL, ends[0] ?? 0).knownTsMs;
    for (const call of [get, sandbox])
      for (const path of ['replay', 'feature-quality', 'crowding-regime/latest', 'labels/stability']) {
        const response = await call(`${BASE}/${path}?symbol=${SYMBOL}&as_of=${oldest - 1}`);
        expect([path, response.status, response.json()]).toEqual([
          path,
          410,
          expect.objectContaining({ code: 'beyond_retention', oldest_available_utc: new Date(oldest).toISOString() }),
        ]);
        expect((await call(`${BASE}/${path}?symbol=${SYMBOL}&as_of=${oldest}`)).status).toBe(200);
      }
  });

  it('verifies an old event, finds no young one, and leaves no judgement', async () => {
    expect((await sandbox(`${BASE}/events/${idAt(ends[50] ?? 0)}/verify`)).json()).toMatchObject({ result: 'match', match: true });
    expect((await sandbox(`${BASE}/events/${idAt(newestEndMs)}/verify`)).status).toBe(404);
    expect((await sandbox(`${BASE}/labels/stability`)).json()).toMatchObject({
      meta: { response_semantics: { response_state: 'delayed_sandbox' } },
    });
  });
});

import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
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

interface Rows {
  readonly rows: readonly { readonly event_id: string }[];
  readonly next_cursor: string | null;
  readonly as_of_utc: string;
}

/** In the middle of a window, so that the packet of the one before is known, also ten minutes ago. */
const nowMs = lastWindowEndMs() + 5_000;
const newestEndMs = lastWindowEndMs(nowMs);
/** An hour and twenty minutes of packets. */
const ends = Array.from({ length: 480 }, (_end, index) => newestEndMs - (479 - index) * 10_000);
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

async function everyPage(read: typeof get, path: string): Promise<{ readonly ids: string[]; readonly pages: number }> {
  const ids: string[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const response = await read(`${path}&cursor=${cursor}`);
    expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({ status: 200, text: '' });
    const body: Partial<Packets & Rows> = response.json();
    ids.push(...(body.packets ?? body.rows ?? []).map(({ event_id: eventId }) => eventId));
    cursor = body.next_cursor ?? null;
    pages += 1;
  }
  return { ids, pages };
}

describe('replay', () => {
  it('gives the packets of the window that ends with the newest, oldest first, over pages of any size', async () => {
    for (const limit of [100, 1_000]) {
      const { ids } = await everyPage(get, `${BASE}/replay?limit=${limit}`);
      expect(ids).toEqual(ends.slice(-360).map(idAt));
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

  it('is as of an instant, and 410 with the oldest time where nothing was kept by then', async () => {
    const known = await get(`${BASE}/replay?replay_window_seconds=60&as_of=${(ends[199] ?? 0) + 1_210}`);
    expect(known.json<Packets>().packets.map(({ event_id: eventId }) => eventId)).toEqual(ends.slice(194, 200).map(idAt));
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

describe('history', () => {
  it('gives the rows of the window oldest first over pages, and spans of one state that nothing cuts', async () => {
    const { ids, pages } = await everyPage(get, `${BASE}/history?limit=100`);
    expect([ids, pages]).toEqual([ends.map(idAt), 5]);
    const { state_spans: spans } = (await get(`${BASE}/history?limit=1000`)).json<{ state_spans: object[] }>();
    expect(spans).toEqual([
      {
        state: expect.any(String),
        from_utc: expect.any(String),
        to_utc: expect.any(String),
        packet_total: 480,
        dwell_seconds: 4_800,
        begins_with: 'answer_ends',
        ends_with: 'answer_ends',
      },
    ]);
  });
});

describe('events/search', () => {
  it('gives events newest first over pages', async () => {
    expect((await everyPage(get, `${BASE}/events/search?limit=200&q=pressure`)).ids).toEqual(ends.toReversed().map(idAt));
  });

  it.each([
    ['0.5', 'must not hold numbers: words of tags, reasons and state are searched'],
    ['%2C', 'must hold a word'],
  ])('refuses what would not be looked for: %s', async (q, msg) => {
    expect((await get(`${BASE}/events/search?q=${q}`)).json()).toMatchObject({ detail: [{ loc: ['query', 'q'], msg }] });
  });
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

describe('a sandbox key', () => {
  it.each(['replay?replay_window_seconds=60', 'history?limit=70', 'events/search?limit=70', 'events/search?limit=1000'])(
    'gets of %s nothing younger than 600 s, page by page',
    async (path) => {
      const { ids } = await everyPage(sandbox, `${BASE}/${path}`);
      const newest = Math.max(...ids.map((id) => Number(id.split('_').at(-1))));
      expect(newest).toBe(ends.findLast((endMs) => endMs + 1_210 <= nowMs - DELAY_MS));
    },
  );

  it('verifies an old event, finds no young one, and leaves no judgement', async () => {
    expect((await sandbox(`${BASE}/events/${idAt(ends[100] ?? 0)}/verify`)).json()).toMatchObject({ result: 'match', match: true });
    expect((await sandbox(`${BASE}/events/${idAt(newestEndMs)}/verify`)).status).toBe(404);
    expect((await sandbox(`${BASE}/labels/stability`)).json()).toMatchObject({
      meta: { response_semantics: { response_state: 'delayed_sandbox' } },
    });
  });
});

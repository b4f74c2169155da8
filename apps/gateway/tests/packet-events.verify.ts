import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { everyPage } from './stand-in/every-page';
import { packetRecord } from './stand-in/packet-record';

const BASE = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const nowMs = lastWindowEndMs() + 5_000;
/** One hour and twenty minutes of packets. */
const ends = Array.from({ length: 480 }, (_end, index) => lastWindowEndMs(nowMs) - (479 - index) * 10_000);
const ids = ends.map((endMs) => `evt_${SYMBOL}_${endMs}`);

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway({ now: () => nowMs, packets: false });
  for (const endMs of ends) booted.labeling.store(packetRecord(SYMBOL, endMs));
});
afterAll(() => booted.close());

it.each([100, 1_000])('a replay gives the hour that ends with the newest packet, over pages of %d', async (limit) => {
  expect((await everyPage(booted.keyed, `${BASE}/replay?limit=${limit}`)).ids).toEqual(ids.slice(-360));
});

it.each(['replay?replay_window_seconds=4000', 'history?to=', 'events/search?q='])(
  '%s: an hour of compact packets is one page',
  async (path) => {
    const answer = (await booted.keyed(`${BASE}/${path}&limit=400&view=compact`)).json<{ rows?: []; packets?: [] }>();
    expect((answer.rows ?? answer.packets)?.length).toBe(400);
  },
);

it('history gives an hour and more oldest first, on five pages and on one', async () => {
  for (const [limit, pages] of [
    [100, 5],
    [1_000, 1],
  ])
    expect(await everyPage(booted.keyed, `${BASE}/history?limit=${limit}`)).toEqual({ ids, pages });
});

it('a search gives an hour and more newest first, over pages', async () => {
  expect((await everyPage(booted.keyed, `${BASE}/events/search?limit=200&q=pressure`)).ids).toEqual(ids.toReversed());
});

import type { labeling } from '@market-state/contracts';
import type { PacketClient } from '../packet-client';
import { readEvents } from './find-events';

const SYMBOL = 'BTCUSD-PERP';

/** Labeling with 400 packets, `stepMs` apart, in pages of 25; reading a page takes 600 ms. */
function stored(stepMs: number): PacketClient {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const searchEvents = async ({ pageToken, pageSize }: labeling.SearchEventsRequest): Promise<labeling.SearchEventsResponse> => {
    nowMs += 600;
    const from = Number(pageToken);
    const to = Math.min(400, from + Math.min(pageSize, 25));
    const ends = Array.from({ length: to - from }, (_end, index) => (from + index) * stepMs);
    const events = ends.map((windowEndMs) => ({ packet: { symbol: SYMBOL, windowEndMs } as labeling.PacketRecord, words: [] }));
    return { events, nextPageToken: to < 400 ? String(to) : '' };
  };
  return { call: { searchEvents } } as unknown as PacketClient;
}

async function pagesOf(client: PacketClient, pageSize: number): Promise<number[]> {
  const sizes: number[] = [];
  for (let pageToken = ''; pageToken !== '' || sizes.length === 0; ) {
    const page = await readEvents(client, { pageSize, pageToken } as labeling.SearchEventsRequest, ({ windowEndMs }) => windowEndMs);
    sizes.push(page.rows.length);
    pageToken = page.nextPageToken;
  }
  return sizes;
}

afterEach(() => jest.restoreAllMocks());

it('returns an hour of packets as one page within the limit, however slow labeling is', async () => {
  expect(await pagesOf(stored(10_000), 360)).toEqual([360, 40]);
  expect(await pagesOf(stored(10_000), 400)).toEqual([400]);
});

it('ends a page early if its packets span 24 hours or more', async () => {
  const sizes = await pagesOf(stored(3_600_000), 1_000);
  expect([sizes.every((size) => size <= 25), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([true, 400]);
});

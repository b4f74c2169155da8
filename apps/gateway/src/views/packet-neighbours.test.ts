import type { labeling } from '@market-state/contracts';
import type { PacketClient } from '../clients/packet-client';
import { readNeighbours } from './packet-neighbours';

const WINDOW_MS = 10_000;

/** A log of packets of the windows 1..100 that gives at most `pageMax` at once and refuses every token, as one does whose instant has moved on. */
function clientOf(pageMax: number): PacketClient {
  const ends = Array.from({ length: 100 }, (_packet, index) => (index + 1) * WINDOW_MS);
  const record = (windowEndMs: number) => ({ symbol: 'BTCUSD-PERP', windowEndMs, generatedTsMs: windowEndMs, sequence: windowEndMs / WINDOW_MS, body: Buffer.from('{}'), signature: Buffer.alloc(0), signingKeyId: '' });
  const call = {
    async listPackets({ fromWindowEndMs, toWindowEndMs, pageSize, pageToken, descending }: labeling.ListPacketsRequest) {
      if (pageToken !== '') throw new Error('the token is of another instant');
      const inside = ends.filter((endMs) => endMs >= fromWindowEndMs && (toWindowEndMs === 0 || endMs < toWindowEndMs));
      const ordered = descending ? inside.toReversed() : inside;
      const page = ordered.slice(0, Math.min(pageSize, pageMax));
      return { packets: page.map(record), nextPageToken: page.length < ordered.length ? 'more' : '' };
    },
  };
  return { call } as unknown as PacketClient;
}

const ends = (windows: readonly number[]) => windows.map((window) => window * WINDOW_MS);
const from = (first: number, total: number) => Array.from({ length: total }, (_window, index) => first + index);

it.each([1, 7, 1_000])('reads both sides whole, oldest first, where an answer holds %i packets at most', async (pageMax) => {
  const { before, after } = await readNeighbours(clientOf(pageMax), { symbol: 'BTCUSD-PERP', windowEndMs: 50 * WINDOW_MS, asOfMs: 0 }, { before: 30, after: 20 });
  expect(before.map(({ windowEndMs }) => windowEndMs)).toEqual(ends(from(20, 30)));
  expect(after.map(({ windowEndMs }) => windowEndMs)).toEqual(ends(from(51, 20)));
});

it('gives what there is where a side is shorter', async () => {
  const { before, after } = await readNeighbours(clientOf(7), { symbol: 'BTCUSD-PERP', windowEndMs: 4 * WINDOW_MS, asOfMs: 0 }, { before: 30, after: 0 });
  expect([before.length, after.length]).toEqual([3, 0]);
});

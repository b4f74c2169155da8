import type { labeling } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { createPacketHub } from '../src/streams/packet-hub';
import { packetRecord } from './stand-in/packet-record';

const SYMBOL = 'BTCUSD-PERP';
const FIRST_MS = 1_767_225_610_000;

it('leaves no gap when packets in between cannot be fetched in time: the next push fetches them', async () => {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((step) => packetRecord(SYMBOL, FIRST_MS + step * 10_000)) as [
    labeling.PacketRecord,
    labeling.PacketRecord,
    labeling.PacketRecord,
    labeling.PacketRecord,
  ];
  const stored = [first, second, third, fourth];
  const call = {
    listPackets: async ({ fromWindowEndMs }: labeling.ListPacketsRequest) => ({
      packets: stored.filter(({ windowEndMs }) => windowEndMs >= fromWindowEndMs),
      nextPageToken: '',
    }),
  };
  const warned: unknown[] = [];
  const logger = { ...silentLogger(), warn: (facts: unknown) => void warned.push(facts) };
  const hub = createPacketHub({
    packets: { call } as unknown as GrpcClient<labeling.LabelingServiceService>,
    logger: logger as unknown as ReturnType<typeof silentLogger>,
  });
  const heard: number[] = [];
  hub.follow(SYMBOL, ({ windowEndMs }) => void heard.push(windowEndMs));

  hub.take(first);
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
  hub.take(third);
  await waitUntil('the fetch is given up', () => warned.length > 0);
  timeout.mockRestore();
  expect(heard).toEqual([first.windowEndMs]);

  hub.take(fourth);
  await waitUntil('the newest packet', () => heard.includes(fourth.windowEndMs));
  expect(heard).toEqual(stored.map(({ windowEndMs }) => windowEndMs));
  hub.close();
});

it('gives up a symbol whose packets are not pushed for 30 s, and a stream when every symbol of it is given up', () => {
  jest.useFakeTimers();
  const hub = createPacketHub({ packets: {} as GrpcClient<labeling.LabelingServiceService>, logger: silentLogger() });
  const lost = (...symbols: string[]): boolean => hub.lost(symbols).aborted;
  const all = hub.lost(null);
  try {
    hub.setPushed(new Set(['A', 'B']));
    for (const symbol of ['A', 'B']) hub.take(packetRecord(symbol, FIRST_MS));
    jest.advanceTimersByTime(60_000);
    expect([lost('A'), lost('B'), all.aborted]).toEqual([false, false, false]);
    hub.setPushed(new Set(['A']));
    jest.advanceTimersByTime(29_999);
    expect(lost('B')).toBe(false);
    jest.advanceTimersByTime(1);
    expect([lost('A'), lost('B'), lost('A', 'B'), all.aborted]).toEqual([false, true, false, false]);
    hub.setPushed(new Set());
    jest.advanceTimersByTime(30_000);
    expect([lost('A', 'B'), all.aborted, all.reason]).toMatchObject([true, true, { code: 'UNAVAILABLE' }]);
    hub.setPushed(new Set(['B']));
    expect([lost('A'), lost('B'), lost('A', 'B'), all.aborted]).toEqual([true, false, false, false]);
  } finally {
    hub.close();
    jest.useRealTimers();
  }
});

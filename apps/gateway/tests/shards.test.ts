import type { labeling } from '@market-state/contracts';
import { mergePushes } from '../src/clients/packet-pushes';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { openStream, type StreamMessage } from './stand-in/event-stream';
import { startStandInLabeling } from './stand-in/labeling';
import { packetRecord } from './stand-in/packet-record';

const [BTC, ETH] = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
const LATEST = '/api/public/market-state/latest';

/** Sequences of packets sent, by symbol. */
function sentIn(messages: readonly StreamMessage[]): Record<string, number[]> {
  const sent: Record<string, number[]> = {};
  for (const { event, data } of messages) {
    if (event !== 'packet') continue;
    const { symbol, sequence } = JSON.parse(data) as { symbol: string; sequence: number };
    sent[symbol] = [...(sent[symbol] ?? []), sequence];
  }
  return sent;
}

describe('labeling in two shards', () => {
  let booted: BootedGateway;
  let endMs = 0;
  let offsetMs = 0;
  beforeEach(async () => {
    const bootMs = Date.now();
    offsetMs = 0;
    endMs = lastWindowEndMs(bootMs);
    booted = await bootGateway({ shards: [[BTC], [ETH]], now: () => bootMs + offsetMs, monotonicMs: () => performance.now() + offsetMs });
  });
  afterEach(() => booted.close());

  const record = (symbol: string, windows: number) => packetRecord(symbol, endMs + windows * 10_000);
  const read = async (symbol: string) =>
    (await booted.keyed(`${LATEST}?symbol=${symbol}`)).json<{ packet_serving_state: string; rows: { event_id: string }[] }>();
  const states = async () => Promise.all([BTC, ETH, 'ALL'].map(async (symbol) => (await read(symbol)).packet_serving_state));
  const dependency = async (name: string) => {
    const { dependencies } = (await booted.get('/readyz')).json<{ dependencies: { name: string; ready: boolean; detail: string }[] }>();
    const found = dependencies.find((one) => one.name === name);
    return [found?.ready, found?.detail];
  };
  const labelingHealth = async () => {
    const { components } = (await booted.keyed('/api/public/data/health')).json<{
      components: { component: string; healthy: boolean; detail: string | null }[];
    }>();
    return components.find(({ component }) => component === 'labeling');
  };

  it('serves packets of both processes, and each symbol regardless of the process that labels it', async () => {
    await booted.until(async () => (await states()).every((state) => state === 'fresh_packet'));
    expect(await dependency('labeling')).toEqual([true, 'The packet stream is up.']);
    expect(await labelingHealth()).toMatchObject({ healthy: true, detail: null });
    expect((await booted.keyed(`${LATEST}?symbol=DOGEUSD-PERP`)).json()).toMatchObject({ symbols_served: [BTC, ETH] });
  });

  it('goes on with the others while one is down, says so of its symbols, and has every packet of them when it is back', async () => {
    const [one, other] = booted.shards;
    const headers = { 'x-market-state-api-key': booted.key };
    const stream = await openStream(`${booted.gateway.url}/api/public/market-state/stream?symbol=${BTC},${ETH}`, headers);
    await stream.until((messages) => messages.length > 0);
    other?.push(record(ETH, 1));
    await stream.until((messages) => sentIn(messages)[ETH]?.length === 1);

    await other?.close();
    await booted.until(async () => (await states())[1] === 'fresh_packet_labeling_stream_down');
    expect(await states()).toEqual(['fresh_packet', 'fresh_packet_labeling_stream_down', 'fresh_packet_labeling_stream_down']);
    expect(await dependency('labeling')).toEqual([true, `The packet stream is up, but without ${ETH}.`]);
    expect(await labelingHealth()).toMatchObject({ healthy: false, detail: `No packets pushed for ${ETH}.` });
    one?.push(record(BTC, 1));
    await stream.until((messages) => sentIn(messages)[BTC]?.length === 1);

    offsetMs = 50_000;
    one?.push(record(BTC, 5));
    await booted.until(async () => (await read(BTC)).packet_serving_state === 'fresh_packet');
    expect((await read(ETH)).packet_serving_state).toBe('stale_packet');
    expect(await dependency('packets')).toEqual([true, `Every symbol has a packet; not fresh: ${ETH}.`]);

    for (const windows of [2, 3, 4]) one?.store(record(ETH, windows));
    const again = await startStandInLabeling([], { address: other?.address, labels: [ETH], sharedWith: one });
    again.push(record(ETH, 5));
    await booted.until(async () => (await states()).every((state) => state === 'fresh_packet'));
    await stream.until((messages) => sentIn(messages)[ETH]?.length === 5);
    const [first = 0] = sentIn(stream.messages)[ETH] ?? [];
    expect(sentIn(stream.messages)[ETH]).toEqual([0, 1, 2, 3, 4].map((step) => first + step));
    stream.cut();
    await again.close();
  });
});

it('a gateway that starts while a shard is down serves what is kept of its symbols', async () => {
  const booted = await bootGateway({ shards: [[BTC]] });
  const { packet_serving_state: state, rows } = (await booted.keyed(`${LATEST}?symbol=${ETH}`)).json<{
    packet_serving_state: string;
    rows: { event_id: string }[];
  }>();
  expect([state, rows.length]).toEqual(['fresh_packet_labeling_stream_down', 1]);
  await booted.close();
});

it('a symbol that two processes push is handed on once and in order, and is pushed until both are down', () => {
  const reported: string[] = [];
  const { onMessage, onDown, onGone } = mergePushes({
    began: (symbols) => void reported.push(`began ${symbols.join()}`),
    onPacket: ({ symbol, windowEndMs }, isNewer) => void reported.push(`${symbol} ${windowEndMs}${isNewer ? '' : ' again'}`),
    onSymbols: (served, pushed) => void reported.push(`served ${served.join()} pushed ${[...pushed].join()}`),
  });
  const heartbeat = (from: string, symbols: string[], servedSymbols = ['A', 'B']): void =>
    onMessage({ message: { $case: 'heartbeat', value: { symbols, servedSymbols, sentTsMs: 0 } } }, from);
  const packet = (from: string, symbol: string, windowEndMs: number): void =>
    onMessage({ message: { $case: 'packet', value: { symbol, windowEndMs } as labeling.PacketRecord } }, from);
  const away = (from: string): void => onDown(new Error('away') as never, from);

  away('unknown');
  heartbeat('old', ['A', 'B'], []);
  packet('old', 'A', 1);
  heartbeat('new', ['A']);
  packet('new', 'A', 1);
  packet('new', 'A', 2);
  packet('old', 'A', 2);
  packet('old', 'A', 3);
  heartbeat('old', ['A', 'B'], []);
  away('old');
  packet('new', 'A', 3);
  away('new');
  heartbeat('new', ['A']);
  onGone('old');
  expect(reported).toEqual([
    'began A,B',
    'served A,B pushed A,B',
    'A 1',
    'began A',
    'A 1 again',
    'A 2',
    'A 2 again',
    'A 3',
    'served A,B pushed A',
    'A 3 again',
    'served A,B pushed ',
    'began A',
    'served A,B pushed A',
  ]);
});

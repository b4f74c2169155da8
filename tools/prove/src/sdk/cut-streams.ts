import type { MarketState, StreamMessages } from '@market-state/client';
import { checkChain, type PacketRow } from '@market-state/client/verify';
import { firstOf, type ProofContext } from '../harness';
import type { FaultyProxy } from './faulty-proxy';

const SYMBOL = 'BTCUSD-PERP';
const CHANNELS = ['book', 'trades'] as const;
/** Messages that are still read once the last cut is over. */
const MESSAGES_AFTER = 20;
/** Packets that are read at least, so that there is a chain. */
const PACKETS_MIN = 3;
const SHOWN_MAX = 10;
const CREDITS_MAX = 100_000;

/** Reads streams of rows and of packets while they are cut, and compares what came with what is stored. */
export async function proveStreams({ report, say }: ProofContext, proxy: FaultyProxy, cuts: number, ms: MarketState): Promise<void> {
  const isOver = (): boolean => proxy.cuts() >= cuts;
  const [rows, packets] = await Promise.all([readRows(ms, isOver, proxy, say), readPackets(ms, isOver)]);
  const stored = await storedRows(ms, rows);
  const placeOf = ({ channel, sequence, epoch }: { channel: string; sequence: number; epoch: number }): string =>
    `${epoch} ${sequence} ${channel}`;
  const had = rows.map(({ data }) => placeOf(data));
  const wanted = new Set(stored);
  const [first, last] = [rows[0]?.data, rows.at(-1)?.data];
  report.fail(
    ...firstOf(
      [
        ...repeatedIn(had).map((place) => `The row ${place} came twice.`),
        ...stored.filter((place) => !new Set(had).has(place)).map((place) => `The row ${place} did not come.`),
        ...had.filter((place) => !wanted.has(place)).map((place) => `The row ${place} came and is not stored.`),
        ...packetFaults(packets),
      ],
      SHOWN_MAX,
    ),
  );
  const { data: keys } = await ms.signingKeys.get();
  const chain = await checkChain(
    packets.map(({ data }) => data as PacketRow),
    keys,
  );
  report.check(chain.ok, `The packets are no chain: ${JSON.stringify(chain.firstBreak)}.`);
  report.check(first !== undefined && last !== undefined, 'No rows came.');
  report.figure(
    'cuts of streams; rows and packets that came, those stored',
    `${proxy.cuts()}; ${rows.length} and ${packets.length}, ${stored.length}`,
  );
}

type Row = Extract<StreamMessages['streamData'], { readonly type: 'row' }>;
type PacketMessage = Extract<StreamMessages['streamPackets'], { readonly type: 'packet' }>;

async function readRows(ms: MarketState, isOver: () => boolean, proxy: FaultyProxy, say: (line: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  let after = 0;
  let said = 0;
  for await (const message of ms.stream.data({ symbols: SYMBOL, channels: CHANNELS }, { maxCredits: CREDITS_MAX })) {
    if (message.type !== 'row' && message.type !== 'gap') throw new Error(`a stream of rows has sent ${message.type}`);
    if (message.type === 'row') rows.push(message);
    if (proxy.cuts() >= said + 10) say(`${(said = proxy.cuts())} cuts`);
    if (isOver() && (after += 1) > MESSAGES_AFTER) break;
  }
  return rows;
}

async function readPackets(ms: MarketState, isOver: () => boolean): Promise<PacketMessage[]> {
  const packets: PacketMessage[] = [];
  for await (const message of ms.stream.packets({ symbols: SYMBOL }, { maxCredits: CREDITS_MAX })) {
    if (message.type !== 'packet') throw new Error(`a stream of packets has sent ${message.type}`);
    packets.push(message);
    if (isOver() && packets.length >= PACKETS_MIN) break;
  }
  return packets;
}

/** Places of the stored rows from the first that came to the last. */
async function storedRows(ms: MarketState, rows: readonly Row[]): Promise<string[]> {
  const [first, last] = [rows[0]?.data, rows.at(-1)?.data];
  if (first === undefined || last === undefined) return [];
  const times = rows.map(({ data }) => Date.parse(data.exchange_time_utc));
  const window = { symbol: SYMBOL, start: String(Math.min(...times)), end: String(Math.max(...times) + 1), channels: CHANNELS.join(',') };
  const stored: string[] = [];
  for await (const { epoch, sequence, channel } of ms.replayWindow.rows(window, { maxCredits: CREDITS_MAX }))
    if (sequence >= first.sequence && sequence <= last.sequence) stored.push(`${epoch} ${sequence} ${channel}`);
  return stored;
}

function repeatedIn(places: readonly string[]): string[] {
  const seen = new Set<string>();
  return places.filter((place) => seen.has(place) || !seen.add(place));
}

/** Packets of a symbol are numbered without a gap. */
function packetFaults(packets: readonly PacketMessage[]): string[] {
  const numbers = packets.map(({ data }) => (data as { readonly sequence: number }).sequence);
  return numbers.flatMap((number, at) => (at === 0 || number === (numbers[at - 1] ?? 0) + 1 ? [] : [`Packet ${number} does not follow.`]));
}

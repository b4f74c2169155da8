import { MarketState, type StreamMessages } from '@market-state/client';
import { type ChainCheck, checkChain, type PacketRow } from '@market-state/client/verify';
import { type Access, TIMEOUT_MS } from './access';

const SYMBOL = 'BTCUSD-PERP';
const CHANNELS = ['book', 'trades'] as const;
/** Messages that are still read once the last cut is over. */
const MESSAGES_AFTER = 20;
/** Packets that are read at least, so that there is a chain. */
const PACKETS_MIN = 3;
const CREDITS_MAX = 100_000;

/** What came of streams, in order, and what is stored. A row is named by its place: epoch, sequence, channel. */
export interface StreamsRead {
  readonly rows: readonly string[];
  /** From the first row that came to the last. */
  readonly stored: readonly string[];
  readonly packetNumbers: readonly number[];
  readonly chain: ChainCheck;
}

/** Reads streams of rows and of packets until all of them were cut, then what is stored of the rows. */
export async function readStreams(access: Access, areCutsOver: () => boolean | Promise<boolean>): Promise<StreamsRead> {
  const ms = new MarketState({ ...access, timeoutMs: TIMEOUT_MS });
  const [rows, packets] = await Promise.all([readRows(ms, areCutsOver), readPackets(ms, areCutsOver)]);
  const { data: keys } = await ms.signingKeys.get();
  return {
    rows: rows.map(placeOf),
    stored: await storedRows(ms, rows),
    packetNumbers: packets.map(({ sequence }) => sequence),
    chain: await checkChain(packets, keys),
  };
}

type Row = Extract<StreamMessages['streamData'], { readonly type: 'row' }>['data'];
type Packet = PacketRow & { readonly sequence: number };

function placeOf({ epoch, sequence, channel }: Pick<Row, 'epoch' | 'sequence' | 'channel'>): string {
  return `${epoch} ${sequence} ${channel}`;
}

async function readRows(ms: MarketState, areCutsOver: () => boolean | Promise<boolean>): Promise<Row[]> {
  const rows: Row[] = [];
  let after = 0;
  for await (const message of ms.stream.data({ symbols: SYMBOL, channels: CHANNELS }, { maxCredits: CREDITS_MAX })) {
    if (message.type !== 'row' && message.type !== 'gap') throw new Error(`a stream of rows has sent ${message.type}`);
    if (message.type === 'row') rows.push(message.data);
    if ((await areCutsOver()) && (after += 1) > MESSAGES_AFTER) break;
  }
  return rows;
}

async function readPackets(ms: MarketState, areCutsOver: () => boolean | Promise<boolean>): Promise<Packet[]> {
  const packets: Packet[] = [];
  for await (const message of ms.stream.packets({ symbols: SYMBOL }, { maxCredits: CREDITS_MAX })) {
    if (message.type !== 'packet') throw new Error(`a stream of packets has sent ${message.type}`);
    packets.push(message.data as Packet);
    if ((await areCutsOver()) && packets.length >= PACKETS_MIN) break;
  }
  return packets;
}

/** Places of the stored rows from the first that came to the last. */
async function storedRows(ms: MarketState, rows: readonly Row[]): Promise<string[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const times = rows.map(({ exchange_time_utc: time }) => Date.parse(time));
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)];
  const window = { symbol: SYMBOL, start: String(firstMs), end: String(lastMs + 1), channels: CHANNELS.join(',') };
  const stored: string[] = [];
  for await (const row of ms.replayWindow.rows(window, { maxCredits: CREDITS_MAX }))
    if (row.sequence >= first.sequence && row.sequence <= last.sequence) stored.push(placeOf(row));
  return stored;
}

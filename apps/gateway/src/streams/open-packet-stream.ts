import { isServiceError, unavailable } from '@market-state/errors';
import type { PacketView } from '../serving/answers/packet-answer';
import type { StreamSource } from '../serving/answers/handler';
import { type LastEventId, positionIn, positionsIn, type Positions } from './position';
import { oneSymbol } from './one-symbol';
import { openSymbols } from './open-symbols';
import { openPacketReader, type PacketReaderDeps, type PacketStart } from './packet-reader';
import { type Joining, severalSymbols } from './several-symbols';
import { batchBytesOf, type SymbolReader } from './symbol-reader';

/** The packets that a reader asked for. */
export interface PacketStream {
  /** Null: every symbol of which packets are made, now or later. */
  readonly symbols: readonly string[] | null;
  readonly view: PacketView;
}

/** Packets as they are made, after the reader's last one or from now on. Throws what can be refused. */
export async function openPacketStream(
  deps: PacketReaderDeps,
  { symbols, view }: PacketStream,
  after: LastEventId | null,
): Promise<StreamSource> {
  const { hub } = deps;
  const [only, ...further] = symbols ?? [];
  if (only !== undefined && further.length === 0)
    return oneSymbol(
      await openPacketReader(deps, { symbol: only, view, batchBytesMax: batchBytesOf(1), lost: hub.lost([only]) }, positionIn(after, only)),
    );

  const positions = positionsIn(after, symbols);
  const names = symbols ?? (await followed(deps, positions));
  const batchBytesMax = batchBytesOf(names.length);
  // While packets of one symbol come, the stream goes on.
  const lost = hub.lost(symbols);
  const open = (symbol: string, from: PacketStart): Promise<SymbolReader> =>
    openPacketReader(deps, { symbol, view, batchBytesMax, lost }, from);
  const rest = restOf(positions);
  const readers = await openSymbols(names, positions, (symbol) => open(symbol, positions.get(symbol) ?? rest));
  if (symbols !== null) return severalSymbols(readers);
  const afterWindowEndMs = Math.max(...readers.map(({ start }) => start.windowEndMs));
  return severalSymbols(
    readers,
    joiningOf(hub, names, (symbol) => open(symbol, rest ?? { afterWindowEndMs })),
  );
}

/** Where symbols begin that the id does not hold: after the newest window that it holds, so that none of their packets since is missed. */
function restOf(positions: Positions): PacketStart {
  return positions.size === 0 ? null : { afterWindowEndMs: Math.max(...[...positions.values()].map(({ windowEndMs }) => windowEndMs)) };
}

/** The symbols that `ALL` stands for, those of an id among them unless they are served no longer. */
async function followed({ hub, packets }: PacketReaderDeps, positions: Positions): Promise<string[]> {
  const pushed = new Set(hub.symbols());
  const silent = [...positions.keys()].filter((symbol) => !pushed.has(symbol));
  const served = await Promise.all(silent.map((symbol) => isServed(packets, symbol)));
  const names = [...pushed, ...silent.filter((_symbol, at) => served[at])].sort();
  if (names.length === 0) throw unavailable('upstream_unavailable', 'No packet is available.');
  return names;
}

async function isServed(packets: PacketReaderDeps['packets'], symbol: string): Promise<boolean> {
  try {
    await packets.call.getLatestPacket({ symbol, asOfMs: 0 });
    return true;
  } catch (error) {
    if (isServiceError(error) && error.reason === 'unknown_symbol') return false;
    throw error;
  }
}

/** The symbols that come after those that a stream began with. */
function joiningOf(hub: PacketReaderDeps['hub'], names: readonly string[], open: (symbol: string) => Promise<SymbolReader>): Joining {
  const known = new Set(names);
  return {
    start(onReader) {
      const join = (symbol: string): void => {
        if (known.has(symbol)) return;
        known.add(symbol);
        onReader(open(symbol));
      };
      hub.symbols().forEach(join);
      return hub.onSymbol(join);
    },
  };
}

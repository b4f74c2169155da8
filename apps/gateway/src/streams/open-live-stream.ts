import type { ChannelName } from '../clients/channel-name';
import { type StreamPosition, type LastEventId, positionIn, positionsIn } from './position';
import type { StreamSource } from '../serving/answers/handler';
import { conflated } from './conflate';
import { type LiveReaderDeps, openLiveReader } from './live-reader';
import { oneSymbol } from './one-symbol';
import { openSymbols } from './open-symbols';
import { severalSymbols } from './several-symbols';
import { batchBytesOf, type SymbolReader } from './symbol-reader';

/** The rows that a reader asked for. */
export interface LiveStream {
  readonly symbols: readonly string[];
  readonly channels: ReadonlySet<ChannelName>;
  /** Length of an interval of conflation, milliseconds; 0: every row is sent by itself. */
  readonly conflateMs: number;
}

/** Live rows, after the reader's last message or from now on. Throws what can be refused. */
export async function openLiveStream(
  deps: LiveReaderDeps,
  { symbols, channels, conflateMs }: LiveStream,
  after: LastEventId | null,
): Promise<StreamSource> {
  const batchBytesMax = batchBytesOf(symbols.length);
  async function open(symbol: string, position: StreamPosition | null): Promise<SymbolReader> {
    const reader = await openLiveReader(deps, { symbol, channels, batchBytesMax }, position);
    return conflateMs === 0 ? reader : conflated(reader, { conflateMs, batchBytesMax });
  }
  const [only, ...further] = symbols;
  if (only !== undefined && further.length === 0) return oneSymbol(await open(only, positionIn(after, only)));
  const positions = positionsIn(after, symbols);
  return severalSymbols(await openSymbols(symbols, positions, (symbol) => open(symbol, positions.get(symbol) ?? null)));
}

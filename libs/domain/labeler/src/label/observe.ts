import { addNearDepth, addRange, depthWithin, type NearDepth } from '../features/ranges';
import { movementBps } from '../features/state-window';
import { readEntries, type EntryRead, liquidationFeatures } from '../features/features';
import { realizedVolatility, moveBetween, packetAt, returnBetween, type PricePoint } from './price-history';
import type { RangeMeans, SourceRead } from '../read';
import type { LabelInput } from './label-input';
import { readSources } from '../sources/families';

/** A reported family is evaluated by its last event, regardless of later cuts. */
function familySources(input: LabelInput): { readonly sources: readonly SourceRead[]; readonly liquidationProxyOnly: boolean } {
  const { windowEndMs, windows, facts, numbers } = input;
  const startMs = windows.cuts.windowStart('liquidation', windowEndMs, numbers.windows.liquidation_ms);
  const liquidations = liquidationFeatures(windows.liquidations.after(startMs));
  const sources = readSources({
    windowEndMs,
    facts,
    publicChannels: numbers.public_channels,
    bookTsMs: windows.books.current?.tsMs ?? null,
    tradeTsMs: windows.trades.lastTsMs,
    contextTsMs: windows.context.lastTsMs,
    liquidationTsMs: windows.liquidations.lastTsMs,
    liquidationTotal: liquidations.total,
    liquidationProxyTotal: liquidations.proxyTotal,
  });
  return { sources, liquidationProxyOnly: liquidations.total > 0 && liquidations.proxyTotal === liquidations.total };
}

export interface Observation {
  readonly entries: EntryRead;
  readonly sources: readonly SourceRead[];
  readonly liquidationProxyOnly: boolean;
  readonly bookStale: boolean;
  readonly point: PricePoint;
  /** From the packet 6 windows earlier; null if not comparable. */
  readonly moveBps: number | null;
  readonly newReturn: number | null;
  readonly volatility: { readonly short: number | null; readonly session: number | null };
  /** With this packet's range, if it has a return. */
  readonly ranges: RangeMeans | null;
  /** Depth near mid of the newest fresh book; null before the first. */
  readonly nearDepth: NearDepth | null;
}

export function observe(input: LabelInput): Observation {
  const { windowEndMs, facts, windows, memory, numbers } = input;
  const { sources, liquidationProxyOnly } = familySources(input);
  const entries = readEntries(windows, windowEndMs, memory.sessionBook, sources, facts.bookStalenessMs, numbers);
  const { book } = entries;
  const bookStale = book !== null && book.freshnessMs > facts.bookStalenessMs;
  const point: PricePoint = { mid: book && book.mid, bookTsMs: book && book.tsMs, fresh: book !== null && !bookStale };
  const { packet_interval_ms: intervalMs, price_move_packets: movePackets } = numbers.windows;
  const newReturn = returnBetween(packetAt(memory.history, windowEndMs - intervalMs, 1), point, windows.cuts);
  const movedFrom = packetAt(memory.history, windowEndMs - movePackets * intervalMs, movePackets);
  return {
    entries,
    sources,
    liquidationProxyOnly,
    bookStale,
    point,
    moveBps: moveBetween(movedFrom, point, windows.cuts),
    newReturn,
    volatility: book === null ? { short: null, session: null } : volatilityWith(input, newReturn),
    ranges: newReturn === null ? memory.ranges : addRange(memory.ranges, rangeBps(input), numbers),
    nearDepth: point.fresh ? nearDepthWith(input, point) : memory.nearDepth,
  };
}

function volatilityWith({ memory, numbers }: LabelInput, newReturn: number | null): Observation['volatility'] {
  const { short_return_total: shortTotal, session_return_total: sessionTotal } = numbers.windows;
  const returns = memory.returns.last(newReturn === null ? sessionTotal : sessionTotal - 1);
  if (newReturn !== null) returns.push(newReturn);
  return {
    short: realizedVolatility(returns.slice(-shortTotal), numbers.minimums.returns),
    session: realizedVolatility(returns, numbers.minimums.returns),
  };
}

/** Price range of the packet's own 10 s, from the book in force at its start on. */
function rangeBps({ windowEndMs, windows, facts, numbers }: LabelInput): number {
  const startMs = windowEndMs - numbers.windows.packet_interval_ms;
  const cutMs = windows.cuts.newestBefore('book', windowEndMs);
  return movementBps(windows.books.since(startMs), { startMs, windowEndMs, cutMs, limitMs: facts.bookStalenessMs });
}

function nearDepthWith({ windows, memory, numbers }: LabelInput, { mid }: PricePoint): NearDepth | null {
  const { current } = windows.books;
  if (current === null || mid === null) return memory.nearDepth;
  return addNearDepth(memory.nearDepth, depthWithin(current, mid, numbers.features.near_depth_bps), numbers);
}

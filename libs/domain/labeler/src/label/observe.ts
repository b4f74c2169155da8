import type { PolicyNumbers } from '../policy/numbers';
import type { GapSpan, TimeSpan, Cuts } from '../sources/gaps';
import { type VenueFacts, readSources } from '../sources/families';
import type { EntryWindows } from '../windows/entry-windows';
import type { PacketMemory } from '../reducer/labeler-state';
import { addNearDepth, addRange, depthWithin, type NearDepth } from '../features/ranges';
import { movementBps } from '../features/state-window';
import { readEntries, type EntryRead, liquidationFeatures } from '../features/features';
import type { RangeMeans, SourceRead } from '../read';
import type { PacketTrace } from './lane-reads';
import { naturalLog } from '../numbers/natural-log';
import { round12, round6 } from '../numbers/round';

export interface LabelInput {
  readonly market: string;
  readonly windowEndMs: number;
  readonly facts: VenueFacts;
  readonly windows: EntryWindows;
  readonly memory: PacketMemory;
  readonly numbers: PolicyNumbers;
  readonly spans: readonly GapSpan[];
  readonly bookSilences: readonly TimeSpan[];
  /** Since the tick that closed window T − 300 s. */
  readonly reconnectTotal: number;
  readonly lateTotal: number;
  readonly lateTotalEver: number;
  readonly applied: Readonly<Record<'book' | 'trade' | 'context' | 'liquidation', number>>;
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

/**
 * Log return between two mids ten seconds apart: ln(mid_T / mid of T − 10 s), 12 decimals. Source: the usual
 * continuously compounded return, of mids so that it does not bounce between bid and ask.
 */
export function logReturn(mid: number, earlierMid: number): number {
  return round12(naturalLog(mid / earlierMid));
}

/**
 * Signed price move: 10,000 × (mid_T / earlier mid − 1), basis points, 6 decimals. Window: six packets, 60 s, for
 * lineage_price_move_bps_abs; the lane's packets for short_window. Source: the usual simple return.
 */
export function priceMoveBps(mid: number, earlierMid: number): number {
  return round6(10_000 * (mid / earlierMid - 1));
}

/**
 * Realized volatility of 10 s log mid returns: their root mean square, per 10 s, not annualized, 12 decimals. Null with
 * fewer than `minimum` returns. Windows: the last 30 (short, 5 min if all exist) and up to 2,160 (session, 6 h)
 * existing returns. Source: realized volatility (T. Andersen, T. Bollerslev, F. Diebold and P. Labys, "Modeling and
 * Forecasting Realized Volatility", 2003); there the sum of squares, here their mean, so that windows of different
 * length compare.
 */
export function realizedVolatility(returns: readonly number[], minimum: number): number | null {
  if (returns.length < minimum) return null;
  let squares = 0;
  for (const value of returns) squares += value * value;
  return round12(Math.sqrt(squares / returns.length));
}

export interface PricePoint {
  readonly mid: number | null;
  readonly bookTsMs: number | null;
  readonly fresh: boolean;
}

/** Null unless both packets had a fresh book and no book cut lies between them. */
export function returnBetween(earlier: PricePoint | undefined, current: PricePoint, cuts: Cuts): number | null {
  const mids = comparableMids(earlier, current, cuts);
  return mids === null ? null : logReturn(mids.current, mids.earlier);
}

export function moveBetween(earlier: PricePoint | undefined, current: PricePoint, cuts: Cuts): number | null {
  const mids = comparableMids(earlier, current, cuts);
  return mids === null ? null : priceMoveBps(mids.current, mids.earlier);
}

export function packetAt(history: { last(count: number): PacketTrace[] }, windowEndMs: number, within: number): PacketTrace | undefined {
  return history.last(within).find((trace) => trace.windowEndMs === windowEndMs);
}

function comparableMids(
  earlier: PricePoint | undefined,
  current: PricePoint,
  cuts: Cuts,
): { readonly earlier: number; readonly current: number } | null {
  if (earlier === undefined || !earlier.fresh || !current.fresh) return null;
  if (earlier.mid === null || current.mid === null || earlier.bookTsMs === null || current.bookTsMs === null) return null;
  if (cuts.parts('book', earlier.bookTsMs, current.bookTsMs)) return null;
  return { earlier: earlier.mid, current: current.mid };
}

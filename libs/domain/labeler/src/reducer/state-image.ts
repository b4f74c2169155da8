import {
  bytesOf,
  encodeEvent,
  type BookLevel,
  type MarketEvent,
  toBase64,
  decodeEvent,
  EventDecodeError,
  type EventKind,
  fromBase64,
  textOf,
} from '@market-state/market-data';
import {
  type Chain,
  type ClosedWindow,
  type LabelerState,
  historyLimit,
  sessionBookOf,
  type PacketMemory,
  type SessionSample,
  type LogState,
  SeenIds,
  type SeenId,
} from './labeler-state';
import type { HistoryBlock, PacketTrace } from '../label/lane-reads';
import { COMPOSITES, type CompositeName } from '../names';
import { type GapSpan, GapLedger, type CutChannel, Cuts } from '../sources/gaps';
import {
  type CurrentBook,
  BookWindow,
  type BookRecord,
  ContextWindow,
  type OpenInterestRecord,
  type EntryWindows,
  LiquidationWindow,
  type LiquidationRecord,
  TradeWindow,
  type TradeRecord,
} from '../windows/entry-windows';
import { SortedWindow } from '../numbers/samples';
import type { Policy } from '../policy/policy';
import type { PolicyNumbers } from '../policy/numbers';
import { Ring } from '../windows/ring';

/** Version of the stored form; other versions are not restored. */
const STATE_FORMAT = 'market_state_labeler_state.v4';

/** Fields of a state as they are, except those with another stored form. */
type Stored<State, Forms> = Readonly<Omit<State, keyof Forms>> & Forms;

interface StateImage {
  readonly format: string;
  readonly symbol: string;
  readonly policyDigest: string;
  readonly log: Stored<
    LogState,
    {
      /** Encoded events, base64. */
      readonly pending: readonly string[];
      readonly statuses: readonly string[];
      /** Alternating identity and exchange time. */
      readonly seen: readonly (string | number)[];
      readonly lateSeen: readonly (string | number)[];
      readonly gaps: readonly GapSpan[];
      readonly openCuts: readonly number[];
      readonly closed: readonly ClosedWindow[];
    }
  >;
  readonly windows: {
    readonly books: { readonly records: Table; readonly current: CurrentBook | null; readonly stampsMs: readonly number[] };
    readonly trades: {
      readonly records: Table;
      readonly agedSizes: readonly number[];
      readonly agedTotal: number;
      readonly lastTsMs: number | null;
    };
    readonly context: {
      readonly openInterest: Table;
      readonly lastTsMs: number | null;
      readonly fundingRate: number | null;
      readonly markPrice: number | null;
    };
    readonly liquidations: { readonly records: Table; readonly lastTsMs: number | null };
    readonly cuts: Readonly<Record<CutChannel, readonly number[]>>;
  };
  readonly memory: Stored<
    Omit<PacketMemory, 'sessionBook'>,
    {
      readonly history: Table;
      readonly session: Table;
      readonly returns: readonly number[];
      readonly noveltyTags: readonly (readonly string[])[];
      readonly historyBlocks: readonly HistoryBlock[];
    }
  >;
  readonly chain: Chain;
}

type Cell = number | string | boolean | null;

/** Rows of one shape without their names, row by row. */
interface Table {
  readonly columns: readonly string[];
  readonly cells: readonly Cell[];
}

type CellKey<T> = { [K in keyof T]-?: T[K] extends Cell ? K : never }[keyof T];

/** Packet trace with its scores inlined. Bit i of `readable` is set if composite i of the table could be read. */
type TraceRow = Omit<PacketTrace, 'scores' | 'available' | 'pressure' | 'flow'> &
  Readonly<Record<'signedPressure' | 'signedFlow' | 'readable' | CompositeName, number>>;

const COLUMNS: readonly CellKey<TraceRow>[] = [
  'windowEndMs',
  'winner',
  'state',
  'mid',
  'bookTsMs',
  'fresh',
  'signedPressure',
  'signedFlow',
  ...COMPOSITES,
  'readable',
  'spreadBps',
  'severity',
  'confidence',
  'volatilityShort',
  'volatilitySession',
];

function packTraces(traces: Iterable<PacketTrace>): Table {
  const rows: TraceRow[] = [];
  for (const { scores, available, pressure, flow, ...rest } of traces) {
    const readable = COMPOSITES.reduce((bits, name, index) => bits + (available[name] ? 2 ** index : 0), 0);
    rows.push({ ...rest, signedPressure: pressure, signedFlow: flow, readable, ...scores });
  }
  return packTable(rows, COLUMNS);
}

function unpackTraces(table: Table): PacketTrace[] {
  return unpackTable<TraceRow>(table).map((row) => ({
    windowEndMs: row.windowEndMs,
    winner: row.winner,
    state: row.state,
    mid: row.mid,
    bookTsMs: row.bookTsMs,
    fresh: row.fresh,
    pressure: row.signedPressure,
    flow: row.signedFlow,
    scores: Object.fromEntries(COMPOSITES.map((name) => [name, row[name]])) as Record<CompositeName, number>,
    available: Object.fromEntries(COMPOSITES.map((name, index) => [name, (row.readable & (2 ** index)) !== 0])) as Record<
      CompositeName,
      boolean
    >,
    spreadBps: row.spreadBps,
    severity: row.severity,
    confidence: row.confidence,
    volatilityShort: row.volatilityShort,
    volatilitySession: row.volatilitySession,
  }));
}

export function packTable<T extends object>(rows: Iterable<T>, columns: readonly CellKey<T>[]): Table {
  const cells: Cell[] = [];
  for (const row of rows) for (const column of columns) cells.push(row[column] as Cell);
  return { columns: columns.map(String), cells };
}

export function unpackTable<T extends object>({ columns, cells }: Table): T[] {
  if (columns.length === 0 || cells.length % columns.length !== 0) throw new RangeError('a table with a broken row');
  const rows: T[] = [];
  for (let start = 0; start < cells.length; start += columns.length) {
    const row: Record<string, Cell> = {};
    columns.forEach((column, offset) => (row[column] = cells[start + offset] ?? null));
    rows.push(row as T);
  }
  return rows;
}

/**
 * Serializes the state as UTF-8 JSON with fixed member order: equal states yield equal bytes, and a restored state
 * continues identically.
 */
export function serializeState(state: LabelerState): Uint8Array {
  return bytesOf(JSON.stringify(imageOf(state)));
}

function imageOf({ symbol, policy, log, windows, memory, chain }: LabelerState): StateImage {
  const { books, trades, context, liquidations, cuts } = windows;
  return {
    format: STATE_FORMAT,
    symbol,
    policyDigest: policy.digest,
    log: {
      ordinal: log.ordinal,
      epoch: log.epoch,
      closingLagMs: log.closingLagMs,
      lastTickMs: log.lastTickMs,
      nextWindowEndMs: log.nextWindowEndMs,
      firstWindowStartMs: log.firstWindowStartMs,
      pending: log.pending.map(encoded),
      statuses: log.statuses.map(encoded),
      seen: log.seen.dump().flat(),
      lateSeen: log.lateSeen.dump().flat(),
      lateSinceClose: log.lateSinceClose,
      lateTotal: log.lateTotal,
      facts: log.facts,
      gaps: log.gaps.dump(),
      openCuts: log.openCuts,
      closed: [...log.closed],
    },
    windows: {
      books: {
        records: packTable(books.records, ['tsMs', 'bid', 'ask', 'bidSize', 'askSize', 'imbalance', 'depth']),
        current: books.current && currentImage(books.current),
        stampsMs: [...books.stampsMs],
      },
      trades: {
        records: packTable(trades.records, ['tsMs', 'price', 'size', 'buy', 'notional']),
        agedSizes: [...trades.agedSizes],
        agedTotal: trades.agedTotal,
        lastTsMs: trades.lastTsMs,
      },
      context: {
        openInterest: packTable(context.openInterest, ['tsMs', 'value']),
        lastTsMs: context.lastTsMs,
        fundingRate: context.fundingRate,
        markPrice: context.markPrice,
      },
      liquidations: { records: packTable(liquidations.records, ['tsMs', 'long', 'notional', 'proxy']), lastTsMs: liquidations.lastTsMs },
      cuts: cuts.dump(),
    },
    memory: {
      packetsMade: memory.packetsMade,
      history: packTraces(memory.history),
      session: packTable(memory.session, ['pressure', 'flow', 'fragility', 'depth', 'spreadBps']),
      returns: [...memory.returns],
      calibration: memory.calibration,
      held: memory.held,
      dwell: memory.dwell,
      sessionState: memory.sessionState,
      ranges: memory.ranges,
      nearDepth: memory.nearDepth,
      previous: memory.previous,
      noveltyTags: [...memory.noveltyTags],
      sessionLane: memory.sessionLane,
      historyLane: memory.historyLane,
      historyBlocks: [...memory.historyBlocks],
    },
    chain,
  };
}

function currentImage(book: CurrentBook): CurrentBook {
  return { ...book, bids: book.bids.map(levelImage), asks: book.asks.map(levelImage) };
}

function levelImage({ price, size }: BookLevel): BookLevel {
  return { price, size };
}

function encoded(event: MarketEvent): string {
  return toBase64(encodeEvent(event));
}

/** Thrown for a stored state that is malformed, of another format version, or made under another policy. */
export class StateRestoreError extends Error {
  override readonly name = 'StateRestoreError';
}

/**
 * Building the state validates its structure; numbers and texts are trusted.
 * @throws StateRestoreError if it cannot be continued
 */
export function restoreState(bytes: Uint8Array, policy: Policy): LabelerState {
  return restoreStateUnder(bytes, policy, policy);
}

/**
 * Restores a state of `madeUnder` under another policy, unchanged. Use `takeOver` to recompute what the new policy
 * changes.
 * @throws StateRestoreError as `restoreState`
 */
export function restoreStateUnder(bytes: Uint8Array, madeUnder: Policy, policy: Policy): LabelerState {
  const image = imageIn(bytes);
  if (image.format !== STATE_FORMAT) throw new StateRestoreError(`stored state has format ${String(image.format)}, not ${STATE_FORMAT}`);
  if (image.policyDigest !== madeUnder.digest) {
    throw new StateRestoreError(`stored state was made under policy ${image.policyDigest}, not ${madeUnder.digest}`);
  }
  try {
    return stateOf(image, policy);
  } catch (error) {
    if (!isBrokenImage(error)) throw error;
    throw new StateRestoreError(`stored state has the right format and policy, but is malformed (${error.message})`, { cause: error });
  }
}

function stateOf(image: StateImage, policy: Policy): LabelerState {
  return {
    symbol: image.symbol,
    policy,
    log: logOf(image.log, policy.numbers),
    windows: windowsOf(image.windows, policy.numbers),
    memory: memoryOf(image.memory, policy.numbers),
    chain: { ...image.chain },
  };
}

function isBrokenImage(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError || error instanceof EventDecodeError;
}

function imageIn(bytes: Uint8Array): StateImage {
  let image: unknown;
  try {
    image = JSON.parse(textOf(bytes));
  } catch (cause) {
    throw new StateRestoreError('stored state is not JSON', { cause });
  }
  if (typeof image !== 'object' || image === null) throw new StateRestoreError('stored state is not a JSON object');
  return image as StateImage;
}

function logOf(log: StateImage['log'], numbers: PolicyNumbers): LogState {
  return {
    ...log,
    pending: log.pending.map((text) => decoded(text, ['book', 'trade', 'context', 'liquidation'])),
    statuses: log.statuses.map((text) => decoded(text, ['feed_status'])),
    openCuts: [...log.openCuts],
    seen: new SeenIds(numbers.windows.duplicate_ms, pairsOf(log.seen)),
    lateSeen: new SeenIds(numbers.windows.duplicate_ms, pairsOf(log.lateSeen)),
    gaps: new GapLedger(log.gaps),
    closed: new Ring(log.closed),
  };
}

function windowsOf({ books, trades, context, liquidations, cuts }: StateImage['windows'], numbers: PolicyNumbers): EntryWindows {
  return {
    books: new BookWindow(new Ring(unpackTable<BookRecord>(books.records)), books.current, new Ring(books.stampsMs)),
    trades: new TradeWindow(
      new Ring(unpackTable<TradeRecord>(trades.records)),
      new SortedWindow(numbers.windows.trade_size_total, trades.agedSizes),
      trades.agedTotal,
      trades.lastTsMs,
    ),
    context: new ContextWindow(
      new Ring(unpackTable<OpenInterestRecord>(context.openInterest)),
      context.lastTsMs,
      context.fundingRate,
      context.markPrice,
    ),
    liquidations: new LiquidationWindow(new Ring(unpackTable<LiquidationRecord>(liquidations.records)), liquidations.lastTsMs),
    cuts: new Cuts(cuts),
  };
}

function memoryOf(memory: StateImage['memory'], numbers: PolicyNumbers): PacketMemory {
  const session = unpackTable<SessionSample>(memory.session);
  return {
    ...memory,
    history: new Ring(unpackTraces(memory.history), historyLimit(numbers)),
    session: new Ring(session, numbers.windows.session_packets),
    sessionBook: sessionBookOf(session, numbers),
    returns: new Ring(memory.returns, numbers.windows.session_return_total),
    noveltyTags: new Ring(memory.noveltyTags, numbers.windows.novelty_packets),
    historyBlocks: new Ring(memory.historyBlocks, numbers.lanes.history_blocks),
    sessionLane: { ...memory.sessionLane },
    historyLane: { ...memory.historyLane },
  };
}

function decoded<K extends EventKind>(text: string, kinds: readonly K[]): Extract<MarketEvent, { readonly kind: K }> {
  const bytes = fromBase64(text);
  if (bytes === undefined) throw new StateRestoreError('stored state contains an event that is not base64');
  const event = decodeEvent(bytes);
  if (!isOneOf(event, kinds)) throw new StateRestoreError(`stored state contains a ${event.kind} event instead of ${kinds.join(', ')}`);
  return event;
}

function isOneOf<K extends EventKind>(event: MarketEvent, kinds: readonly K[]): event is Extract<MarketEvent, { readonly kind: K }> {
  return kinds.some((kind) => kind === event.kind);
}

function* pairsOf(seen: readonly (string | number)[]): Generator<SeenId> {
  for (let index = 0; index + 1 < seen.length; index += 2) yield [String(seen[index]), Number(seen[index + 1])];
}

import { decodeEvent, EventDecodeError, type EventKind, fromBase64, type MarketEvent, textOf } from '@market-state/market-data';
import { historyLimit, sessionBookOf, type PacketMemory, type SessionSample } from '../label/memory';
import { SortedWindow } from '../numbers/sorted-window';
import type { Policy } from '../policy/policy';
import type { PolicyNumbers } from '../policy/numbers';
import type { LabelerState, LogState } from '../reducer/labeler-state';
import { SeenIds, type SeenId } from '../reducer/seen-ids';
import { GapLedger } from '../sources/gap-ledger';
import { BookWindow, type BookRecord } from '../windows/book-window';
import {
  ContextWindow,
  type OpenInterestRecord,
  type EntryWindows,
  LiquidationWindow,
  type LiquidationRecord,
} from '../windows/entry-windows';
import { Cuts } from '../windows/cuts';
import { Ring } from '../windows/ring';
import { TradeWindow, type TradeRecord } from '../windows/trade-window';
import { STATE_FORMAT, type StateImage, unpackTable, unpackTraces } from './state-image';

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
  const image = imageOf(bytes);
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

function imageOf(bytes: Uint8Array): StateImage {
  const image = parsed(bytes);
  if (typeof image !== 'object' || image === null) throw new StateRestoreError('stored state is not a JSON object');
  return image as StateImage;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch (cause) {
    throw new StateRestoreError('stored state is not JSON', { cause });
  }
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

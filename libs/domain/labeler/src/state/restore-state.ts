import { historyLimit, type PacketMemory } from '../label/memory';
import type { Policy } from '../policy/policy';
import type { PolicyNumbers } from '../policy/numbers';
import type { LabelerState } from '../reducer/labeler-state';
import type { LogState } from '../reducer/log-state';
import { SeenIds } from '../reducer/seen-ids';
import { GapLedger } from '../sources/gap-ledger';
import { BookWindow } from '../windows/book-window';
import { ContextWindow } from '../windows/context-window';
import { Cuts } from '../windows/cuts';
import type { EntryWindows } from '../windows/entry-windows';
import { LiquidationWindow } from '../windows/liquidation-window';
import { Ring } from '../windows/ring';
import { TradeWindow } from '../windows/trade-window';
import { STATE_FORMAT, type StateImage } from './state-image';

/** A stored state that cannot be continued: another version of the form, or made under another policy. */
export class StateRestoreError extends Error {
  override readonly name = 'StateRestoreError';
}

/**
 * The state that `serializeState` wrote.
 * @throws StateRestoreError when the bytes are of another version or of another policy than the one given.
 */
export function restoreState(bytes: Uint8Array, policy: Policy): LabelerState {
  const image = JSON.parse(Buffer.from(bytes).toString('utf8')) as StateImage;
  if (image.format !== STATE_FORMAT) throw new StateRestoreError(`stored state has format ${String(image.format)}, not ${STATE_FORMAT}`);
  if (image.policyDigest !== policy.digest) {
    throw new StateRestoreError(`stored state was made under policy ${image.policyDigest}, not ${policy.digest}`);
  }
  return {
    symbol: image.symbol,
    policy,
    log: logOf(image.log, policy.numbers),
    windows: windowsOf(image.windows, policy.numbers),
    memory: memoryOf(image.memory, policy.numbers),
    chain: { ...image.chain },
  };
}

function logOf(log: StateImage['log'], numbers: PolicyNumbers): LogState {
  return {
    ...log,
    pending: [...log.pending],
    statuses: [...log.statuses],
    openCuts: [...log.openCuts],
    seen: new SeenIds(numbers.windows.duplicate_ms, log.seen),
    gaps: new GapLedger(log.gaps),
    closed: new Ring(log.closed),
  };
}

function windowsOf({ books, trades, context, liquidations, cuts }: StateImage['windows'], numbers: PolicyNumbers): EntryWindows {
  return {
    books: new BookWindow(new Ring(books.records), books.current),
    trades: new TradeWindow(
      new Ring(trades.records),
      new Ring(trades.agedSizes, numbers.windows.trade_size_total),
      trades.agedTotal,
      trades.lastTsMs,
    ),
    context: new ContextWindow(new Ring(context.openInterest), context.lastTsMs, context.fundingRate, context.markPrice),
    liquidations: new LiquidationWindow(new Ring(liquidations.records), liquidations.lastTsMs),
    cuts: new Cuts(cuts),
  };
}

function memoryOf(memory: StateImage['memory'], numbers: PolicyNumbers): PacketMemory {
  return {
    ...memory,
    history: new Ring(memory.history, historyLimit(numbers)),
    session: new Ring(memory.session, numbers.windows.session_packets),
    returns: new Ring(memory.returns, numbers.windows.session_return_total),
    noveltyTags: new Ring(memory.noveltyTags, numbers.windows.novelty_packets),
    historyBlocks: new Ring(memory.historyBlocks, numbers.lanes.history_blocks),
    sessionLane: { ...memory.sessionLane },
    historyLane: { ...memory.historyLane },
  };
}

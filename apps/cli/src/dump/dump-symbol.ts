import {
  beginningOf,
  CHECKPOINT_SCHEMA,
  checkpointLine,
  type Policy,
  type RetainedCheckpoint,
  stateAt,
  type SymbolSource,
} from '@market-state/labeler';
import { type MarketEvent, rowLine, WINDOW_MS } from '@market-state/market-data';
import { incomplete } from '../cli-error';
import type { LineOutput } from '../io/line-output';
import { ClosedWindows } from './closed-windows';
import { retainedPacketLine } from './retained-packet-line';

/** What was written of one symbol. */
export interface Dumped {
  readonly entryTotal: number;
  readonly packetTotal: number;
  readonly checkpointTotal: number;
  /** Newest packets left out: the entries that close their windows are not recorded yet. */
  readonly awaitingTotal: number;
  /** Packets up to this window end belong to the chain of another policy, and are left out. Null: there are none. */
  readonly otherChainUntilMs: number | null;
}

export interface DumpOptions {
  readonly policy: Policy;
  readonly onProgress: (entryTotal: number) => void;
}

/**
 * Writes what a verification of the symbol's span reads: the checkpoint it begins at, every entry from there on, the checkpoints on the
 * way, every packet. Null when nobody reads any more.
 */
export async function dumpSymbol(source: SymbolSource, { policy, onProgress }: DumpOptions, output: LineOutput): Promise<Dumped | null> {
  const { start, otherChainUntilMs, span, checkpoints } = beginningOf(source, policy);
  const state = await stateAt(start, source, policy);
  if (typeof state === 'string') throw incomplete(`${source.symbol}: the checkpoint to start at is wrong: ${state}`);
  if (start !== null && !(await output.write(await lineOf(start, source)))) return null;

  const closed = new ClosedWindows(start?.window_end_ms ?? 0, state.log.closingLagMs);
  const end = { windowEndMs: Math.ceil(span.toMs / WINDOW_MS) * WINDOW_MS - WINDOW_MS, ordinal: checkpoints.at(-1)?.ordinal ?? 0 };
  let entryTotal = 0;
  let lastOrdinal = start?.ordinal ?? 0;
  for await (const entries of entriesUpTo(end, source.entries(lastOrdinal), closed)) {
    entryTotal += entries.length;
    lastOrdinal = entries.at(-1)?.ordinal ?? lastOrdinal;
    onProgress(entryTotal);
    if (!(await output.write(...entries.map(rowLine)))) return null;
  }

  const met = checkpoints.filter(({ ordinal }) => ordinal <= lastOrdinal);
  for (const checkpoint of met) if (!(await output.write(await lineOf(checkpoint, source)))) return null;

  let packetTotal = 0;
  let awaitingTotal = 0;
  for await (const packet of source.packets(span)) {
    if (!closed.has(packet.windowEndMs)) {
      awaitingTotal++;
      continue;
    }
    packetTotal++;
    if (!(await output.write(await retainedPacketLine(packet)))) return null;
  }
  return { entryTotal, packetTotal, checkpointTotal: met.length + (start === null ? 0 : 1), awaitingTotal, otherChainUntilMs };
}

/** Entries up to the one that closes the window and to the ordinal, whichever comes later; all, where they end before. */
async function* entriesUpTo(
  end: { readonly windowEndMs: number; readonly ordinal: number },
  batches: AsyncIterable<readonly MarketEvent[]>,
  closed: ClosedWindows,
): AsyncGenerator<readonly MarketEvent[]> {
  for await (const batch of batches) {
    const last = batch.findIndex((event) => {
      closed.take(event);
      return closed.has(end.windowEndMs) && event.ordinal >= end.ordinal;
    });
    yield last < 0 ? batch : batch.slice(0, last + 1);
    if (last >= 0) return;
  }
}

async function lineOf(checkpoint: RetainedCheckpoint, source: SymbolSource): Promise<string> {
  const state = Buffer.from(await source.stateGzip(checkpoint)).toString('base64');
  return checkpointLine({ schema: CHECKPOINT_SCHEMA, ...checkpoint, state });
}

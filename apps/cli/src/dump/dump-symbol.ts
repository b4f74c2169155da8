import { CHECKPOINT_SCHEMA, checkpointLine, type Policy, type RetainedCheckpoint } from '@market-state/labeler';
import { rowLine, type MarketEvent } from '@market-state/market-data';
import { incomplete } from '../cli-error';
import type { LineOutput } from '../io/line-output';
import { beginningOf, stateAt } from '../verify/beginning';
import { WINDOW_MS, type SymbolSource } from '../verify/symbol-source';
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
 * Writes what a verification of the symbol's span reads: the checkpoint it begins at, every entry from there on, the checkpoints on the way,
 * every packet. Null when nobody reads any more.
 */
export async function dumpSymbol(source: SymbolSource, { policy, onProgress }: DumpOptions, output: LineOutput): Promise<Dumped | null> {
  const { start, otherChainUntilMs, span, checkpoints } = beginningOf(source, policy);
  const state = await stateAt(start, source, policy);
  if (typeof state === 'string') throw incomplete(`${source.symbol}: the checkpoint to begin at cannot be right: ${state}`);
  if (start !== null && !(await output.write(await lineOf(start, source)))) return null;

  const closed = new ClosedWindows(start?.window_end_ms ?? 0, state.log.closingLagMs);
  const lastWindowMs = Math.ceil(span.toMs / WINDOW_MS) * WINDOW_MS - WINDOW_MS;
  const closingOrdinal = checkpoints.at(-1)?.ordinal ?? 0;
  let entryTotal = 0;
  let lastOrdinal = start?.ordinal ?? 0;
  const isDone = (): boolean => closed.has(lastWindowMs) && lastOrdinal >= closingOrdinal;
  for await (const batch of source.entries(lastOrdinal)) {
    const taken: MarketEvent[] = [];
    for (const event of batch) {
      if (isDone()) break;
      closed.take(event);
      lastOrdinal = event.ordinal;
      taken.push(event);
    }
    entryTotal += taken.length;
    onProgress(entryTotal);
    if (!(await output.write(...taken.map(rowLine)))) return null;
    if (isDone()) break;
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

async function lineOf(checkpoint: RetainedCheckpoint, source: SymbolSource): Promise<string> {
  const state = Buffer.from(await source.stateGzip(checkpoint)).toString('base64');
  return checkpointLine({ schema: CHECKPOINT_SCHEMA, ...checkpoint, state });
}

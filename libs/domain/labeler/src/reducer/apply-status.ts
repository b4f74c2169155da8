import type { Channel, FeedStatusEvent } from '@market-state/market-data';
import type { PolicyNumbers } from '../policy/numbers';
import type { GapSpan } from '../sources/gap-ledger';
import { readVenueFacts } from '../sources/venue-facts';
import { CUT_CHANNELS, type CutChannel, type Cuts } from '../windows/cuts';
import type { LogState } from './labeler-state';

/** Returns true for a reconnection: a `connected` that is neither the log's first nor the first of its pass. */
export function applyStatus(log: LogState, cuts: Cuts, event: FeedStatusEvent, windowEndMs: number, numbers: PolicyNumbers): boolean {
  const { status } = event;
  switch (status.type) {
    case 'connected': {
      const reconnected = log.facts !== null && event.pass <= log.facts.pass;
      log.facts = readVenueFacts(event, status, numbers);
      return reconnected;
    }
    case 'disconnected':
      cutAll(log, cuts, event.exchangeTsMs);
      return false;
    case 'gap':
    case 'resynced':
    case 'seam': {
      const oldestMs = windowEndMs - numbers.windows.duplicate_ms;
      if (status.type === 'gap' && status.reason === 'arrived_late') withdrawSpan(log, cuts, status.gapId, oldestMs);
      else applySpan(log, cuts, spanOf(status, log), oldestMs);
      return false;
    }
  }
}

type SpanStatus = Extract<FeedStatusEvent['status'], { readonly type: 'gap' | 'resynced' | 'seam' }>;

function spanOf(status: SpanStatus, log: LogState): GapSpan {
  const { gapId, startMs, endMs } = status;
  if (status.type === 'seam') return { gapId, channel: null, startMs, endMs, reason: 'recording_seam', seam: true };
  const reason = status.type === 'gap' ? status.reason : resyncedReason(log.gaps.find(gapId));
  return { gapId, channel: cutChannel(status.channel), startMs, endMs, reason, seam: false };
}

/** A seam that ends with a fresh snapshot becomes a gap. */
function resyncedReason(known: GapSpan | undefined): string {
  return known === undefined || known.seam ? 'sequence_gap' : known.reason;
}

/**
 * Cuts at a span's start the first time. Spans that ended at or before `oldestMs` are no longer in the ledger, so
 * repeats of them are ignored and never cut twice.
 */
function applySpan(log: LogState, cuts: Cuts, span: GapSpan, oldestMs: number): void {
  const known = log.gaps.find(span.gapId) !== undefined;
  if (!known && span.endMs !== 0 && span.endMs <= oldestMs) return;
  log.gaps.put(span);
  if (known) return;
  if (span.channel === null) cutAll(log, cuts, span.startMs);
  else cuts.add(span.channel, span.startMs);
}

/**
 * Undoes a span and its cut; ignores unknown ids. A cut at or before `oldestMs` stays, because earlier ones may have
 * been dropped.
 */
function withdrawSpan(log: LogState, cuts: Cuts, gapId: string, oldestMs: number): void {
  const span = log.gaps.withdraw(gapId);
  if (span === undefined || span.startMs <= oldestMs) return;
  if (span.channel !== null) return cuts.takeBack(span.channel, span.startMs);
  for (const channel of CUT_CHANNELS) cuts.takeBack(channel, span.startMs);
  const open = log.openCuts.indexOf(span.startMs);
  if (open >= 0) log.openCuts.splice(open, 1);
}

/** Cuts every channel, and marks the next packet as the first of a new lineage. */
export function cutAll(log: LogState, cuts: Cuts, instantMs: number): void {
  cuts.addAll(instantMs);
  log.openCuts.push(instantMs);
}

function cutChannel(channel: Channel | undefined): CutChannel | null {
  return CUT_CHANNELS.find((known) => known === channel) ?? null;
}

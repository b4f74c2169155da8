import type { Channel, FeedStatusEvent } from '@market-state/market-data';
import type { PolicyNumbers } from '../policy/numbers';
import { readVenueFacts } from '../sources/venue-facts';
import { CUT_CHANNELS, type CutChannel, type Cuts } from '../windows/cuts';
import type { LogState } from './log-state';

/**
 * Applies one feed status entry of the window that closes. Returns whether it is a reconnection: a `connected` that is neither the log's
 * first nor the first of its pass.
 */
export function applyStatus(log: LogState, cuts: Cuts, event: FeedStatusEvent, numbers: PolicyNumbers): boolean {
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
    case 'resynced': {
      const known = log.gaps.find(status.gapId);
      const reason = status.type === 'gap' ? status.reason : (known?.reason ?? 'sequence_gap');
      const channel = cutChannel(status.channel);
      log.gaps.put({ gapId: status.gapId, channel, startMs: status.startMs, endMs: status.endMs, reason, seam: false });
      if (known !== undefined) return false;
      if (channel === null) cutAll(log, cuts, status.startMs);
      else cuts.add(channel, status.startMs);
      return false;
    }
    case 'seam':
      log.gaps.put({ gapId: status.gapId, channel: null, startMs: status.startMs, endMs: status.endMs, reason: 'recording_seam', seam: true });
      cutAll(log, cuts, status.startMs);
      return false;
  }
}

/** Cuts every channel at the instant, and marks the next packet after it as the first of a new lineage. */
export function cutAll(log: LogState, cuts: Cuts, instantMs: number): void {
  cuts.addAll(instantMs);
  log.openCuts.push(instantMs);
}

function cutChannel(channel: Channel | undefined): CutChannel | null {
  return CUT_CHANNELS.find((known) => known === channel) ?? null;
}

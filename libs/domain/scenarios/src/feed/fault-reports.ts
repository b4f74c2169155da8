import { type FeedStatus, gapIdOf, type GapReason, type MarketEvent } from '@market-state/market-data';
import type { PlacedFault, DataChannel } from './fault';
import { connectedStatus, VENUE_CHANNELS } from '../market/instrument';
import { SIMULATED_VENUE } from '../log/log-writer';

/** Which gap it is, and the exchange time after which nothing was heard. No channel: all of them. */
interface KnownGap {
  readonly gapId: string;
  readonly startMs: number;
  readonly channel?: DataChannel;
}

interface Heard {
  readonly tsMs: number;
  readonly venueId: string;
}

/** The newest event of each channel in the log: where a gap begins. */
export class LastHeard {
  private readonly byChannel = new Map<DataChannel, Heard>();

  constructor(private readonly symbol: string) {}

  note(channel: DataChannel, { exchangeTsMs: tsMs, venueId }: MarketEvent): void {
    if (tsMs > (this.byChannel.get(channel)?.tsMs ?? -1)) this.byChannel.set(channel, { tsMs, venueId });
  }

  /** The gap after the newest event of the channel, or of all; it begins at `otherwiseMs` where nothing was heard at all. */
  gap(reason: GapReason | 'recording_seam', pass: number, otherwiseMs: number, channel?: DataChannel): KnownGap {
    const heard = [...this.byChannel].filter(([name]) => channel === undefined || name === channel).map(([, last]) => last);
    const newest = heard.sort((a, b) => b.tsMs - a.tsMs)[0] ?? { tsMs: otherwiseMs, venueId: '' };
    const { tsMs: startMs, venueId: lastVenueId } = newest;
    const gapId = gapIdOf({ venue: SIMULATED_VENUE, symbol: this.symbol, pass, reason, channel, startMs, lastVenueId });
    return { gapId, startMs, ...(channel === undefined ? {} : { channel }) };
  }
}

/** What the feed writes of a fault when it begins and when it ends; of some it knows nothing. */
export class FaultReports {
  private readonly openGaps = new Map<PlacedFault, KnownGap>();

  constructor(private readonly heard: LastHeard) {}

  begin(fault: PlacedFault, pass: number): FeedStatus[] {
    switch (fault.kind) {
      case 'channel_gap':
        return [this.openGap(fault, this.heard.gap('sequence_gap', pass, fault.startMs, fault.channel))];
      case 'disconnect':
        return [
          { type: 'disconnected', reason: 'connection_lost' },
          this.openGap(fault, this.heard.gap('sequence_gap', pass, fault.startMs)),
        ];
      case 'limited_venue':
        return [connectedStatus(fault.channels)];
      default:
        return [];
    }
  }

  /** @param pass the one that ends, where a seam ends it */
  end(fault: PlacedFault, pass: number): FeedStatus[] {
    const connected = connectedStatus(VENUE_CHANNELS);
    const { endMs } = fault;
    switch (fault.kind) {
      case 'channel_gap':
        return this.closeGap(fault);
      case 'disconnect':
        return [connected, ...this.closeGap(fault)];
      case 'limited_venue':
        return [connected];
      case 'feed_down':
        return [{ type: 'gap', ...this.heard.gap('feed_down', pass, fault.startMs), endMs, reason: 'feed_down' }, connected];
      case 'seam':
        return [{ type: 'seam', ...this.heard.gap('recording_seam', pass, fault.startMs), endMs }, connected];
      default:
        return [];
    }
  }

  private openGap(fault: PlacedFault, gap: KnownGap): FeedStatus {
    this.openGaps.set(fault, gap);
    return { type: 'gap', ...gap, endMs: 0, reason: 'sequence_gap' };
  }

  private closeGap(fault: PlacedFault): FeedStatus[] {
    const gap = this.openGaps.get(fault);
    this.openGaps.delete(fault);
    return gap === undefined ? [] : [{ type: 'resynced', ...gap, endMs: fault.endMs }];
  }
}

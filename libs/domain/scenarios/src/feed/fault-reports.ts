import type { FeedStatus } from '@market-state/market-data';
import type { PlacedFault } from './fault';
import type { KnownGap, LastHeard } from './last-heard';
import { connectedStatus, VENUE_CHANNELS } from './venue-facts';

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

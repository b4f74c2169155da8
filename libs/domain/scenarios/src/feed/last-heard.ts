import { gapIdOf, type GapReason, type MarketEvent } from '@market-state/market-data';
import { SIMULATED_VENUE } from '../log/log-writer';
import type { DataChannel } from './fault';

/** Which gap it is, and the exchange time after which nothing was heard. No channel: all of them. */
export interface KnownGap {
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

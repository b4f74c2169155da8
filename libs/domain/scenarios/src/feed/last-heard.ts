import { gapIdOf, type GapReason, type MarketEvent } from '@market-state/market-data';
import { SIMULATED_VENUE } from '../log/log-writer';
import type { DataChannel } from './fault';

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

  /** Id and start of a gap that begins after the last message of its channel (of all, if it names none), `clockMs` before any. */
  gap(reason: GapReason | 'recording_seam', pass: number, clockMs: number, channel?: DataChannel): { gapId: string; startMs: number; channel?: DataChannel } {
    const heard = [...this.byChannel].filter(([name]) => channel === undefined || name === channel).map(([, last]) => last);
    const last = heard.reduce<Heard>((newest, each) => (each.tsMs > newest.tsMs ? each : newest), { tsMs: -1, venueId: '' });
    const startMs = last.tsMs < 0 ? clockMs : last.tsMs;
    const gapId = gapIdOf({ venue: SIMULATED_VENUE, symbol: this.symbol, pass, reason, channel, startMs, lastVenueId: last.venueId });
    return { gapId, startMs, ...(channel === undefined ? {} : { channel }) };
  }
}

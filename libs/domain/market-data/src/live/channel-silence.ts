import type { TimedChannel } from '../event';
import { gapIdOf } from '../gap-id';
import type { PlayedInstrument } from '../played-instrument';
import type { LiveLog } from './live-log';

export interface Silence {
  readonly due: 'resubscribe' | 'reconnect';
  readonly reason: string;
}

/** Cap for the limit of a channel that stays silent across reconnects. */
const LIMIT_MS_MAX = 900_000;

/**
 * On a connection that answers pings, a channel is resubscribed after its staleness limit; after the same time again,
 * the connection is replaced.
 */
export class ChannelSilence {
  private readonly limitsMs: ReadonlyMap<TimedChannel, number>;
  private readonly heardMs = new Map<TimedChannel, number>();
  private readonly resubscribedMs = new Map<TimedChannel, number>();
  /** No message on this connection yet: the venue may be closed. */
  private readonly unheard = new Set<TimedChannel>();
  private readonly fruitless = new Map<TimedChannel, number>();

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly log: LiveLog,
  ) {
    const { channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs } = instrument;
    const all: readonly (readonly [TimedChannel, number])[] = [
      ['book', bookStalenessMs],
      ['trade', tradeStalenessMs],
      ['context', contextStalenessMs],
    ];
    this.limitsMs = new Map(all.filter(([channel]) => channels.includes(channel)));
  }

  connected(): void {
    for (const channel of this.limitsMs.keys()) {
      this.heardMs.set(channel, this.log.clockMs);
      this.unheard.add(channel);
    }
    this.resubscribedMs.clear();
  }

  /**
   * Ids reveal missed books and trades; a context silent beyond its limit leaves a gap.
   * @param accept processes the message and returns the channel of its subscription
   */
  take(accept: () => TimedChannel | undefined): void {
    const contextMs = this.log.lastMs.get('context');
    const channel = accept();
    if (channel === undefined) return;
    if (channel === 'context' && this.silent.includes(channel)) this.missed(channel, contextMs, this.log.clockMs);
    this.heardMs.set(channel, this.log.clockMs);
    this.resubscribedMs.delete(channel);
    this.unheard.delete(channel);
    this.fruitless.delete(channel);
  }

  resubscribed(): void {
    for (const channel of this.silent) if (!this.resubscribedMs.has(channel)) this.resubscribedMs.set(channel, this.log.clockMs);
  }

  /** On disconnect, silent channels get their own gap up to `toMs`, where the gap of all channels starts. */
  lost(toMs: number, isTradeQuiet: boolean): void {
    for (const channel of this.silent) if (channel !== 'trade' || !isTradeQuiet) this.missed(channel, this.log.lastMs.get(channel), toMs);
    for (const channel of this.resubscribedMs.keys()) this.fruitless.set(channel, (this.fruitless.get(channel) ?? 0) + 1);
    this.heardMs.clear();
  }

  due(isTradeQuiet: boolean): Silence | undefined {
    const { clockMs } = this.log;
    const silent = this.silent.filter((channel) => channel !== 'trade' || !isTradeQuiet);
    const lost = silent.find((channel) => clockMs - (this.resubscribedMs.get(channel) ?? clockMs) > this.limitMs(channel));
    if (lost !== undefined) return { due: 'reconnect', reason: this.sentence(lost) };
    const pending = silent.find((channel) => !this.resubscribedMs.has(channel));
    return pending && { due: 'resubscribe', reason: this.sentence(pending) };
  }

  private get silent(): readonly TimedChannel[] {
    return [...this.heardMs].flatMap(([channel, heardMs]) => (this.log.clockMs - heardMs > this.limitMs(channel) ? [channel] : []));
  }

  private limitMs(channel: TimedChannel): number {
    const limitMs = this.limitsMs.get(channel) ?? Infinity;
    const doublings = (this.fruitless.get(channel) ?? 0) + (this.unheard.has(channel) ? 1 : 0);
    return Math.min(limitMs * 2 ** doublings, Math.max(limitMs, LIMIT_MS_MAX));
  }

  private sentence(channel: TimedChannel): string {
    const silentMs = this.log.clockMs - (this.heardMs.get(channel) ?? this.log.clockMs);
    return `no ${channel} message for ${(silentMs / 1_000).toFixed(1)} s`;
  }

  private missed(channel: TimedChannel, startMs: number | undefined, endMs: number): void {
    if (startMs === undefined || endMs <= startMs) return;
    const { venue, symbol } = this.instrument;
    const lastVenueId = `@${this.log.clockMs}`;
    const gapId = gapIdOf({ venue, symbol, pass: 0, reason: 'disconnected', channel, startMs, lastVenueId });
    this.log.status({ type: 'gap', gapId, channel, startMs, endMs, reason: 'disconnected' });
  }
}

import type { FeedStatus, MarketEvent } from '@market-state/market-data';
import { LogWriter } from '../log/log-writer';
import type { MarketMessage } from '../market/message';
import { STEP_MS } from '../market/step';
import { Random } from '../random/random';
import { Delivery } from './delivery';
import type { DataChannel, Fault } from './fault';
import { LastHeard } from './last-heard';
import { connectedStatus, VENUE_CHANNELS } from './venue-facts';

const FEED_STREAM = 2;
/** Receive time lies this far after exchange time: at least, ordinarily more (mean), at most. */
const DELAY_MS = { book: [12, 20, 400], trade: [5, 12, 400], liquidation: [5, 12, 400], context: [20, 30, 400] } as const;
/** A repeat comes up to this much later. */
const REPEAT_DELAY_MS_MAX = 30_000;

/** A fault at its place on the clock. */
export type PlacedFault = Fault & { readonly startMs: number; readonly endMs: number };

/** Carries a venue's messages into the log: delays them, loses or repeats them as faults say, and reports on itself. */
export class Feed {
  private readonly random: Random;
  private readonly writer: LogWriter;
  private readonly delivery = new Delivery<MarketMessage>();
  private readonly heard: LastHeard;
  /** What begins and ends at an instant, told once. */
  private readonly openGaps = new Map<PlacedFault, { gapId: string; startMs: number; channel?: DataChannel }>();

  constructor(symbol: string, seed: number) {
    this.random = new Random(seed, FEED_STREAM);
    this.writer = new LogWriter(symbol);
    this.heard = new LastHeard(symbol);
  }

  connect(clockMs: number): MarketEvent {
    return this.writer.status(connectedStatus(VENUE_CHANNELS), clockMs);
  }

  /** Sends on what the venue published under the faults in force. */
  take(messages: readonly MarketMessage[], faults: readonly PlacedFault[]): void {
    for (const message of messages) {
      const inForce = faults.filter((fault) => fault.startMs <= message.tsMs && message.tsMs < fault.endMs);
      if (inForce.some((fault) => loses(fault, message))) continue;
      this.delivery.send(message.tsMs + this.delayMs(message) + this.stallMs(message, inForce), message);
      if (this.repeats(message, inForce)) this.delivery.send(message.tsMs + this.random.integer(500, REPEAT_DELAY_MS_MAX), message);
    }
  }

  /** Log entries up to the tick at `clockMs`: data received before it, what faults begin and end at it, and the tick. */
  *entriesUntil(clockMs: number, faults: readonly PlacedFault[]): Generator<MarketEvent> {
    if (faults.some((fault) => fault.kind === 'feed_down' && fault.startMs < clockMs && clockMs < fault.endMs)) return;
    yield* this.dataUntil(clockMs, faults);
    for (const fault of faults) {
      if (fault.endMs === clockMs) for (const status of this.end(fault, clockMs)) yield this.writer.status(status, clockMs);
    }
    for (const fault of faults) {
      if (fault.startMs === clockMs) for (const status of this.begin(fault, clockMs)) yield this.writer.status(status, clockMs);
    }
    yield this.writer.tick(clockMs);
  }

  private *dataUntil(clockMs: number, faults: readonly PlacedFault[]): Generator<MarketEvent> {
    const provenance = faults.some((fault) => fault.kind === 'inferred_liquidations') ? 'proxy' : 'venue_reported';
    for (const { receivedMs, entry } of this.delivery.receivedBefore(clockMs)) {
      const event = this.writer.message(entry, receivedMs, provenance);
      this.heard.note(entry.kind, event);
      yield event;
    }
  }

  private begin(fault: PlacedFault, clockMs: number): FeedStatus[] {
    switch (fault.kind) {
      case 'channel_gap':
        this.delivery.lose((message) => message.kind === fault.channel);
        return [{ type: 'gap', ...this.openGap(fault, clockMs, fault.channel), endMs: 0, reason: 'sequence_gap' }];
      case 'disconnect':
        this.delivery.lose();
        return [{ type: 'disconnected', reason: 'connection_lost' }, { type: 'gap', ...this.openGap(fault, clockMs), endMs: 0, reason: 'sequence_gap' }];
      case 'limited_venue':
        return [connectedStatus(fault.channels)];
      case 'seam':
      case 'feed_down':
        this.delivery.lose();
        return [];
      default:
        return [];
    }
  }

  private end(fault: PlacedFault, clockMs: number): FeedStatus[] {
    switch (fault.kind) {
      case 'channel_gap':
      case 'disconnect': {
        const gap = this.openGaps.get(fault);
        const resynced: FeedStatus[] = gap === undefined ? [] : [{ type: 'resynced', ...gap, endMs: clockMs }];
        this.openGaps.delete(fault);
        return fault.kind === 'disconnect' ? [connectedStatus(VENUE_CHANNELS), ...resynced] : resynced;
      }
      case 'limited_venue':
        return [connectedStatus(VENUE_CHANNELS)];
      case 'feed_down':
        return [{ type: 'gap', ...this.heard.gap('feed_down', this.writer.pass, clockMs), endMs: clockMs, reason: 'feed_down' }, connectedStatus(VENUE_CHANNELS)];
      case 'seam': {
        const { gapId, startMs } = this.heard.gap('recording_seam', this.writer.pass, clockMs);
        this.writer.pass++;
        return [{ type: 'seam', gapId, startMs, endMs: clockMs }, connectedStatus(VENUE_CHANNELS)];
      }
      default:
        return [];
    }
  }

  private openGap(fault: PlacedFault, clockMs: number, channel?: DataChannel) {
    const { gapId, startMs } = this.heard.gap('sequence_gap', this.writer.pass, clockMs, channel);
    const gap = { gapId, startMs, ...(channel === undefined ? {} : { channel }) };
    this.openGaps.set(fault, gap);
    return gap;
  }

  private delayMs({ kind }: MarketMessage): number {
    const [least, mean, most] = DELAY_MS[kind];
    return least + Math.round(mean * this.random.heavyTailed(most / mean));
  }

  private stallMs({ kind }: MarketMessage, faults: readonly PlacedFault[]): number {
    for (const fault of faults) {
      if (fault.kind === 'stall' && (kind === 'book' || kind === 'trade') && this.random.chance(fault.share)) return fault.delayMs;
    }
    return 0;
  }

  private repeats({ kind }: MarketMessage, faults: readonly PlacedFault[]): boolean {
    return kind !== 'context' && faults.some((fault) => fault.kind === 'repeats' && this.random.chance(fault.share));
  }
}

/** Whether a message sent under the fault never comes through. */
function loses(fault: Fault, { kind }: MarketMessage): boolean {
  switch (fault.kind) {
    case 'silence':
      return fault.channels.includes(kind);
    case 'channel_gap':
      return fault.channel === kind;
    case 'limited_venue':
      return !fault.channels.includes(kind);
    case 'disconnect':
    case 'feed_down':
    case 'seam':
      return true;
    case 'stall':
    case 'repeats':
    case 'inferred_liquidations':
      return false;
  }
}

/** Ticks come at multiples of this. */
export const TICK_MS = STEP_MS;

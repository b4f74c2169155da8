import {
  type FeedStatus,
  type FeedStatusEvent,
  type GapReason,
  type MarketEvent,
  type TickEvent,
  gapIdOf,
} from '@market-state/market-data';
import { VENUE_CHANNELS, connectedStatus } from '../market/instrument';
import type { MarketMessage } from '../market/message';
import { Random } from '../random';
import { type DataChannel, type PlacedFault, loses, losesOnItsWay, repeats, stallMs } from './fault';

const SIMULATED_VENUE = 'simulated';

const EPOCH = 1;

/** Writes log entries: ordinals rise from 1; the pass rises at each seam. */
class LogWriter {
  private ordinal = 0;
  pass = 1;

  constructor(private readonly symbol: string) {}

  /** Contexts have no venue time or id and use the receive time, flagged. */
  message(message: MarketMessage, receivedMs: number, provenance: 'venue_reported' | 'proxy'): MarketEvent {
    switch (message.kind) {
      case 'book':
        return { kind: 'book', ...this.envelope(String(message.id), message.tsMs, receivedMs), bids: message.bids, asks: message.asks };
      case 'trade': {
        const { price, size, aggressorSide } = message;
        return { kind: 'trade', ...this.envelope(String(message.id), message.tsMs, receivedMs), price, size, aggressorSide };
      }
      case 'context': {
        const { fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume } = message;
        const facts = { fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume };
        return { kind: 'context', ...this.envelope('', null, receivedMs), ...facts };
      }
      case 'liquidation': {
        const { positionSide, price, size } = message;
        return {
          kind: 'liquidation',
          ...this.envelope(String(message.id), message.tsMs, receivedMs),
          positionSide,
          price,
          size,
          provenance,
        };
      }
    }
  }

  tick(clockMs: number): TickEvent {
    return { kind: 'tick', ...this.envelope('', clockMs, clockMs), feedClockMs: clockMs };
  }

  status(status: FeedStatus, clockMs: number): FeedStatusEvent {
    return { kind: 'feed_status', ...this.envelope('', null, clockMs), status };
  }

  private envelope(venueId: string, venueTsMs: number | null, receivedTsMs: number) {
    return {
      venue: SIMULATED_VENUE,
      symbol: this.symbol,
      pass: this.pass,
      venueId,
      exchangeTsMs: venueTsMs ?? receivedTsMs,
      exchangeTsIsReceiveTime: venueTsMs === null,
      receivedTsMs,
      ordinal: ++this.ordinal,
      epoch: EPOCH,
    };
  }
}

interface KnownGap {
  readonly gapId: string;
  readonly startMs: number;
  readonly channel?: DataChannel;
}

interface Heard {
  readonly tsMs: number;
  readonly venueId: string;
}

class LastHeard {
  private readonly byChannel = new Map<DataChannel, Heard>();

  constructor(private readonly symbol: string) {}

  note(channel: DataChannel, { exchangeTsMs: tsMs, venueId }: MarketEvent): void {
    if (tsMs > (this.byChannel.get(channel)?.tsMs ?? -1)) this.byChannel.set(channel, { tsMs, venueId });
  }

  /** Starts at `otherwiseMs` if there was no event. */
  gap(reason: GapReason | 'recording_seam', pass: number, otherwiseMs: number, channel?: DataChannel): KnownGap {
    const heard = [...this.byChannel].filter(([name]) => channel === undefined || name === channel).map(([, last]) => last);
    const newest = heard.sort((a, b) => b.tsMs - a.tsMs)[0] ?? { tsMs: otherwiseMs, venueId: '' };
    const { tsMs: startMs, venueId: lastVenueId } = newest;
    const gapId = gapIdOf({ venue: SIMULATED_VENUE, symbol: this.symbol, pass, reason, channel, startMs, lastVenueId });
    return { gapId, startMs, ...(channel === undefined ? {} : { channel }) };
  }
}

/** Some faults go unnoticed by the feed. */
class FaultReports {
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

export class Delivery<T> {
  private waiting: { readonly receivedMs: number; readonly entry: T }[] = [];

  send(receivedMs: number, entry: T): void {
    let place = this.waiting.length;
    while (place > 0 && (this.waiting[place - 1]?.receivedMs ?? 0) > receivedMs) place--;
    this.waiting.splice(place, 0, { receivedMs, entry });
  }

  receivedBefore(clockMs: number): readonly { readonly receivedMs: number; readonly entry: T }[] {
    let count = 0;
    while (count < this.waiting.length && (this.waiting[count]?.receivedMs ?? clockMs) < clockMs) count++;
    return this.waiting.splice(0, count);
  }

  lose(chosen: (entry: T) => boolean = () => true): void {
    this.waiting = this.waiting.filter(({ entry }) => !chosen(entry));
  }
}

const FEED_STREAM = 2;
/** Delay of receive time: minimum, mean, approximate maximum. */
const DELAY_MS = { book: [12, 20, 400], trade: [5, 12, 400], liquidation: [5, 12, 400], context: [20, 30, 400] } as const;
const REPEAT_DELAY_MS = [500, 30_000] as const;

interface Sent {
  readonly message: MarketMessage;
  readonly provenance: 'venue_reported' | 'proxy';
}

export class Feed {
  private readonly random: Random;
  private readonly writer: LogWriter;
  private readonly delivery = new Delivery<Sent>();
  private readonly heard: LastHeard;
  private readonly reports: FaultReports;

  constructor(symbol: string, seed: number) {
    this.random = new Random(seed, FEED_STREAM);
    this.writer = new LogWriter(symbol);
    this.heard = new LastHeard(symbol);
    this.reports = new FaultReports(this.heard);
  }

  connect(clockMs: number): MarketEvent {
    return this.writer.status(connectedStatus(VENUE_CHANNELS), clockMs);
  }

  take(messages: readonly MarketMessage[], faults: readonly PlacedFault[]): void {
    for (const message of messages) {
      const inForce = faults.filter((fault) => fault.startMs <= message.tsMs && message.tsMs < fault.endMs);
      if (inForce.some((fault) => loses(fault, message))) continue;
      const sent: Sent = { message, provenance: inForce.some(({ kind }) => kind === 'inferred_liquidations') ? 'proxy' : 'venue_reported' };
      this.delivery.send(message.tsMs + this.delayMs(message) + stallMs(this.random, inForce, message), sent);
      if (repeats(this.random, inForce, message)) this.delivery.send(message.tsMs + this.random.integer(...REPEAT_DELAY_MS), sent);
    }
  }

  *entriesUntil(clockMs: number, faults: readonly PlacedFault[]): Generator<MarketEvent> {
    if (faults.some((fault) => fault.kind === 'feed_down' && fault.startMs < clockMs && clockMs < fault.endMs)) return;
    for (const { receivedMs, entry } of this.delivery.receivedBefore(clockMs)) {
      const event = this.writer.message(entry.message, receivedMs, entry.provenance);
      this.heard.note(entry.message.kind, event);
      yield event;
    }
    for (const fault of faults) if (fault.endMs === clockMs) yield* this.end(fault);
    for (const fault of faults) if (fault.startMs === clockMs) yield* this.begin(fault);
    yield this.writer.tick(clockMs);
  }

  private begin(fault: PlacedFault): MarketEvent[] {
    this.delivery.lose(({ message }) => losesOnItsWay(fault, message));
    return this.reports.begin(fault, this.writer.pass).map((status) => this.writer.status(status, fault.startMs));
  }

  private end(fault: PlacedFault): MarketEvent[] {
    const statuses = this.reports.end(fault, this.writer.pass);
    if (fault.kind === 'seam') this.writer.pass++;
    return statuses.map((status) => this.writer.status(status, fault.endMs));
  }

  private delayMs({ kind }: MarketMessage): number {
    const [least, mean, most] = DELAY_MS[kind];
    return least + Math.round(mean * this.random.heavyTailed(most / mean));
  }
}

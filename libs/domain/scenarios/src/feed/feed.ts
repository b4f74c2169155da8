import type { MarketEvent } from '@market-state/market-data';
import { LogWriter } from '../log/log-writer';
import type { MarketMessage } from '../market/message';
import { Random } from '../random/random';
import { type PlacedFault, loses, losesOnItsWay, repeats, stallMs } from './fault';
import { FaultReports, LastHeard } from './fault-reports';
import { connectedStatus, VENUE_CHANNELS } from '../market/instrument';

/** Entries on their way to the log, in the order of their receive times; equal ones keep the order in which they were sent. */
export class Delivery<T> {
  private waiting: { readonly receivedMs: number; readonly entry: T }[] = [];

  send(receivedMs: number, entry: T): void {
    let place = this.waiting.length;
    while (place > 0 && (this.waiting[place - 1]?.receivedMs ?? 0) > receivedMs) place--;
    this.waiting.splice(place, 0, { receivedMs, entry });
  }

  /** What has come before `clockMs`, oldest first. */
  receivedBefore(clockMs: number): readonly { readonly receivedMs: number; readonly entry: T }[] {
    let count = 0;
    while (count < this.waiting.length && (this.waiting[count]?.receivedMs ?? clockMs) < clockMs) count++;
    return this.waiting.splice(0, count);
  }

  /** Forgets what is still on its way, or those entries of it. */
  lose(chosen: (entry: T) => boolean = () => true): void {
    this.waiting = this.waiting.filter(({ entry }) => !chosen(entry));
  }
}

const FEED_STREAM = 2;
/** Receive time lies this far after exchange time: at least, ordinarily more (mean), at most about. */
const DELAY_MS = { book: [12, 20, 400], trade: [5, 12, 400], liquidation: [5, 12, 400], context: [20, 30, 400] } as const;
/** A repeat is received this long after the exchange time. */
const REPEAT_DELAY_MS = [500, 30_000] as const;

interface Sent {
  readonly message: MarketMessage;
  readonly provenance: 'venue_reported' | 'proxy';
}

/** Carries a venue's messages into the log: delays them, loses or repeats them as faults say, and reports on itself. */
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

  /** Sends on what the venue published under the faults in force. */
  take(messages: readonly MarketMessage[], faults: readonly PlacedFault[]): void {
    for (const message of messages) {
      const inForce = faults.filter((fault) => fault.startMs <= message.tsMs && message.tsMs < fault.endMs);
      if (inForce.some((fault) => loses(fault, message))) continue;
      const sent: Sent = { message, provenance: inForce.some(({ kind }) => kind === 'inferred_liquidations') ? 'proxy' : 'venue_reported' };
      this.delivery.send(message.tsMs + this.delayMs(message) + stallMs(this.random, inForce, message), sent);
      if (repeats(this.random, inForce, message)) this.delivery.send(message.tsMs + this.random.integer(...REPEAT_DELAY_MS), sent);
    }
  }

  /** Log entries up to the tick at `clockMs`: data received before it, what faults end and begin at it, and the tick. */
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

import type { ListingChange, MessageBatch, RawMessage } from './venue-source';

/** Messages handed on at once, at most. */
const BATCH_MAX = 1_000;
/** Reading goes on when the queue has come down to this share of its limit. */
const RESUME_SHARE = 0.5;

/** The book that a message updates. A newer message of the same instrument and stream replaces it if too many wait. */
export interface BookStream {
  readonly instrument: string;
  readonly stream: string;
}

/** What the queue needs of the socket before it. */
export interface Valve {
  pause(): void;
  resume(): void;
}

/** Begins a batch: the receive time of a refused frame, or a change of the listing. */
type Marker = Required<Pick<MessageBatch, 'refusedFrameMs'>> | Required<Pick<MessageBatch, 'listing'>>;

interface Waiting {
  readonly message: RawMessage | Marker;
  readonly book: BookStream | undefined;
}

/**
 * The queue of messages between the socket and their reader. When it is full, book messages followed by a newer one are dropped, which
 * the next batch reports; if that is not enough, the socket is paused, so that everything else waits on the venue's side. What the
 * socket has already read still comes in: at most one chunk.
 */
export class MessageQueue {
  private waiting: Waiting[] = [];
  private collapsed: Record<string, number> = {};
  private isPaused = false;
  /** Book messages that wait, and their streams. */
  private books = 0;
  private readonly streams = new Set<string>();
  private wake: (() => void) | undefined;

  constructor(
    private readonly limit: number,
    private readonly valve: Valve,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  push(message: RawMessage, book: BookStream | undefined): void {
    this.add({ message, book });
    if (this.waiting.length >= this.limit && this.books > this.streams.size) this.collapse();
    if (this.waiting.length >= this.limit && !this.isPaused) {
      this.isPaused = true;
      this.valve.pause();
    }
    this.notify();
  }

  /** Records a frame that is not read, at its position among the messages. */
  refuse(refusedFrameMs: number): void {
    this.add({ message: { refusedFrameMs }, book: undefined });
    this.notify();
  }

  /** Records a change of the listing at its position among the messages. */
  announce(listing: ListingChange): void {
    this.add({ message: { listing }, book: undefined });
    this.notify();
  }

  /** The oldest messages, up to the next marker; undefined when none wait. */
  take(): MessageBatch | undefined {
    const [first] = this.waiting;
    if (first === undefined) return undefined;
    const marker = 'text' in first.message ? undefined : first.message;
    const messages: RawMessage[] = [];
    for (const { message } of this.waiting.slice(marker === undefined ? 0 : 1, BATCH_MAX)) {
      if (!('text' in message)) break;
      messages.push(message);
    }
    const { collapsed } = this;
    this.refill(this.waiting.slice(messages.length + (marker === undefined ? 0 : 1)));
    this.collapsed = {};
    if (this.isPaused && this.waiting.length <= this.limit * RESUME_SHARE) {
      this.isPaused = false;
      this.valve.resume();
    }
    return { messages, ...marker, ...(Object.keys(collapsed).length > 0 && { overflow: { collapsedBooks: collapsed } }) };
  }

  /** Resolves when something was pushed, or `notify` was called, since. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Wakes those who wait. */
  notify(): void {
    this.wake?.();
    this.wake = undefined;
  }

  private add(entry: Waiting): void {
    this.waiting.push(entry);
    if (entry.book === undefined) return;
    this.books++;
    this.streams.add(keyOf(entry.book));
  }

  private refill(entries: readonly Waiting[]): void {
    this.waiting = [];
    this.books = 0;
    this.streams.clear();
    for (const entry of entries) this.add(entry);
  }

  /** Keeps the newest message of every book stream, at its position. */
  private collapse(): void {
    const seen = new Set<string>();
    const kept: Waiting[] = [];
    for (const entry of this.waiting.toReversed()) {
      if (entry.book !== undefined) {
        const key = keyOf(entry.book);
        if (seen.has(key)) {
          this.collapsed[entry.book.instrument] = (this.collapsed[entry.book.instrument] ?? 0) + 1;
          continue;
        }
        seen.add(key);
      }
      kept.push(entry);
    }
    this.refill(kept.reverse());
  }
}

function keyOf({ instrument, stream }: BookStream): string {
  return `${stream} ${instrument}`;
}

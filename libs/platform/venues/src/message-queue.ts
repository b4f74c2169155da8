import type { MessageBatch, RawMessage } from './venue-source';

/** Messages handed on at once, at most. */
const BATCH_MAX = 1_000;
/** Reading goes on when the queue has come down to this share of its limit. */
const RESUME_SHARE = 0.5;

/** Which book a message tells of. A newer message of the same instrument and stream takes its place where too many wait. */
export interface BookStream {
  readonly instrument: string;
  readonly stream: string;
}

/** What the queue needs of the socket before it. */
export interface Valve {
  pause(): void;
  resume(): void;
}

interface Waiting {
  readonly message: RawMessage;
  readonly book: BookStream | undefined;
}

/**
 * Messages between the socket and their reader. When it is full, book messages that a newer one follows are let go, which the
 * next batch tells; when that is not enough the socket is paused, so that everything else waits on the venue's side. What the
 * socket has read already still comes in: one chunk of it, at most.
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

  /** The oldest messages; undefined when none wait. */
  take(): MessageBatch | undefined {
    if (this.waiting.length === 0) return undefined;
    const taken = this.waiting.length <= BATCH_MAX ? this.waiting : this.waiting.slice(0, BATCH_MAX);
    const left = this.waiting.slice(taken.length);
    const { collapsed } = this;
    this.refill(left);
    this.collapsed = {};
    if (this.isPaused && this.waiting.length <= this.limit * RESUME_SHARE) {
      this.isPaused = false;
      this.valve.resume();
    }
    const messages = taken.map(({ message }) => message);
    return Object.keys(collapsed).length === 0 ? { messages } : { messages, overflow: { collapsedBooks: collapsed } };
  }

  /** Resolves when something was pushed, or `notify` was called, since. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Wakes whoever waits. */
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

  /** Keeps of every book stream the newest message, in its place. */
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

import type { ListingChange, MessageBatch, RawMessage } from './venue-source';

const BATCH_MAX = 1_000;
const RESUME_SHARE = 0.5;

/** In a full queue, newer messages of the same instrument and stream replace older ones. */
export interface BookStream {
  readonly instrument: string;
  readonly stream: string;
}

export interface Valve {
  pause(): void;
  resume(): void;
}

type Marker = Required<Pick<MessageBatch, 'refusedFrameMs'>> | Required<Pick<MessageBatch, 'listing'>>;

interface Waiting {
  readonly message: RawMessage | Marker;
  readonly book: BookStream | undefined;
}

/** When full, drops superseded book messages and reports that in the next batch; if still full, pauses the socket. */
export class MessageQueue {
  private waiting: Waiting[] = [];
  private collapsed: Record<string, number> = {};
  private isPaused = false;
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

  refuse(refusedFrameMs: number): void {
    this.add({ message: { refusedFrameMs }, book: undefined });
    this.notify();
  }

  announce(listing: ListingChange): void {
    this.add({ message: { listing }, book: undefined });
    this.notify();
  }

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

  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

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

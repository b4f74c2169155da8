import type { VenueConnection } from '@market-state/venues';

/** What one symbol is told of its venue, in order. Times are the feed clock's, milliseconds. */
export type InboxItem =
  | { readonly type: 'connected'; readonly atMs: number; readonly connection: VenueConnection; readonly ended: AbortSignal }
  /** A line of a recording: receive time in nanoseconds, then the message. */
  | { readonly type: 'line'; readonly atMs: number; readonly line: string }
  /** A frame of its connection was not read: what it carried is unknown. */
  | { readonly type: 'frame_refused'; readonly atMs: number }
  /** Messages of its book were let go. */
  | { readonly type: 'overflow'; readonly atMs: number }
  | { readonly type: 'disconnected'; readonly atMs: number; readonly reason: string }
  /** The venue does not list the instrument: nothing comes of it until it is connected again. */
  | { readonly type: 'unlisted'; readonly atMs: number; readonly reason: string };

/** What waits to be taken into one symbol's log: bounded, nothing is dropped. */
export interface Inbox {
  /** Resolves when the item is in; waits while 10,000 are. */
  put(item: InboxItem, signal: AbortSignal): Promise<void>;
  /** All that waits. */
  take(): readonly InboxItem[];
  /** Resolves when something waits. For one reader: of several promises only the newest resolves. */
  filled(): Promise<void>;
  readonly size: number;
}

const itemsMax = 10_000;

export function createInbox(): Inbox {
  let items: InboxItem[] = [];
  let reader: (() => void) | undefined;
  const writers = new Set<() => void>();

  function wakeWriters(): void {
    const all = [...writers];
    writers.clear();
    all.forEach((resume) => resume());
  }

  function roomOr(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        signal.removeEventListener('abort', resume);
        resolve();
      };
      writers.add(resume);
      signal.addEventListener('abort', resume, { once: true });
    });
  }

  return {
    get size() {
      return items.length;
    },
    async put(item, signal) {
      while (items.length >= itemsMax && !signal.aborted) await roomOr(signal);
      items.push(item);
      reader?.();
    },
    take() {
      const taken = items;
      items = [];
      wakeWriters();
      return taken;
    },
    filled: () => (items.length > 0 ? Promise.resolve() : new Promise((resolve) => (reader = resolve))),
  };
}

import type { VenueConnection } from '@market-state/venues';

export type InboxItem =
  | { readonly type: 'connected'; readonly atMs: number; readonly connection: VenueConnection; readonly ended: AbortSignal }
  /** Recording line: receive time in nanoseconds, then the message. */
  | { readonly type: 'line'; readonly atMs: number; readonly line: string }
  /** Dropped unread: an oversized frame, or the messages of a full inbox. */
  | { readonly type: 'frame_refused'; readonly atMs: number }
  | { readonly type: 'overflow'; readonly atMs: number }
  | { readonly type: 'disconnected'; readonly atMs: number; readonly reason: string }
  | { readonly type: 'unlisted'; readonly atMs: number; readonly reason: string };

export interface Inbox {
  /**
   * While 10,000 items are queued, waits up to a second for the reader. If it takes none, the queued messages are dropped, so that other
   * symbols of the connection go on.
   */
  put(item: InboxItem, signal: AbortSignal): Promise<void>;
  take(): readonly InboxItem[];
  /** Resolves when items are queued. Single reader: only the newest promise resolves. */
  filled(): Promise<void>;
  readonly size: number;
}

const itemsMax = 10_000;
const waitMs = 1_000;

export function createInbox(): Inbox {
  let items: InboxItem[] = [];
  let reader: (() => void) | undefined;
  const writers = new Set<() => void>();

  function wakeWriters(): void {
    const all = [...writers];
    writers.clear();
    all.forEach((resume) => resume());
  }

  /** Resolves once items were taken, on abort, or after a second. */
  function whenWritable(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        clearTimeout(timer);
        writers.delete(resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      const timer = setTimeout(resume, waitMs);
      writers.add(resume);
      signal.addEventListener('abort', resume, { once: true });
    });
  }

  function dropMessages(atMs: number): void {
    const states = items.filter(({ type }) => type !== 'line' && type !== 'overflow' && type !== 'frame_refused');
    items = [...states, { type: 'frame_refused', atMs }];
  }

  return {
    get size() {
      return items.length;
    },
    async put(item, signal) {
      if (items.length >= itemsMax && !signal.aborted) await whenWritable(signal);
      if (items.length >= itemsMax) dropMessages(item.atMs);
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

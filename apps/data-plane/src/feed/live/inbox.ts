import type { VenueConnection } from '@market-state/venues';

export type InboxItem =
  | { readonly type: 'connected'; readonly atMs: number; readonly connection: VenueConnection; readonly ended: AbortSignal }
  /** Recording line: receive time in nanoseconds, then the message. */
  | { readonly type: 'line'; readonly atMs: number; readonly line: string }
  /** An oversized frame of unknown content was dropped. */
  | { readonly type: 'frame_refused'; readonly atMs: number }
  | { readonly type: 'overflow'; readonly atMs: number }
  | { readonly type: 'disconnected'; readonly atMs: number; readonly reason: string }
  | { readonly type: 'unlisted'; readonly atMs: number; readonly reason: string };

/** Bounded queue per symbol; never drops items. */
export interface Inbox {
  /** Waits while 10,000 items are queued. */
  put(item: InboxItem, signal: AbortSignal): Promise<void>;
  take(): readonly InboxItem[];
  /** Resolves when items are queued. Single reader: only the newest promise resolves. */
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

  function whenWritable(signal: AbortSignal): Promise<void> {
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
      while (items.length >= itemsMax && !signal.aborted) await whenWritable(signal);
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

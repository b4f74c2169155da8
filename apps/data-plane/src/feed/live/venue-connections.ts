import {
  contractValuesOf,
  type InstrumentRow,
  listingReasons,
  liveVenueOf,
  type ServedInstrument,
  venueOf,
} from '@market-state/market-data';
import type { Logger } from '@market-state/logging';
import {
  createVenueSource,
  type VenueClock,
  type VenueSource,
  type ConnectionEvent,
  type ListingChange,
  type MessageBatch,
  type RawMessage,
  runConnection,
  type VenueConnection,
} from '@market-state/venues';
import { backoffMs, delay } from '@market-state/lifecycle';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';
import type { FeedConfig } from '../../config';
import type { Clock } from '../clock';

interface OpenConnection {
  /** Venue, with a number from the second connection on: `okx-2`. */
  readonly name: string;
  readonly source: VenueSource;
  readonly rows: readonly InstrumentRow[];
  readonly namesOf: (line: string) => readonly string[];
}

export function venueConnections(config: FeedConfig, clock: VenueClock, logger: Logger): OpenConnection[] {
  const rows = config.served.filter(isLive).map(({ row }) => row);
  return [...new Set(rows.map(({ venue }) => venue))].flatMap((venue) => {
    const carried = rows.filter((row) => row.venue === venue);
    return chunksOf(carried, venueOf(venue)?.live?.connectionMax ?? Infinity).map((chunk, index) => ({
      name: index === 0 ? venue : `${venue}-${index + 1}`,
      source: sourceOf(venue, chunk, config, clock, logger),
      rows: chunk,
      namesOf: liveVenueOf(venue).namesOf,
    }));
  });
}

function chunksOf<Row>(rows: readonly Row[], max: number): readonly (readonly Row[])[] {
  return rows.length <= max ? [rows] : [rows.slice(0, max), ...chunksOf(rows.slice(max), max)];
}

export function isLive(served: ServedInstrument): served is ServedInstrument & { readonly row: InstrumentRow } {
  return served.feed !== 'recording' && served.row !== undefined;
}

function sourceOf(
  venue: string,
  rows: readonly InstrumentRow[],
  { venueUrls }: FeedConfig,
  clock: VenueClock,
  logger: Logger,
): VenueSource {
  const urls = venueUrls[venue];
  if (urls === undefined) throw new Error(`no address for venue ${venue}`);
  return createVenueSource(venue, {
    ...urls,
    contractValues: contractValuesOf(rows),
    metadata: listingReasons(venue, rows),
    logger,
    clock,
  });
}

export type VenueMetrics = ReturnType<typeof createVenueMetrics>;

export function createVenueMetrics(metrics: Metrics) {
  const connected = addGauge(metrics, 'feed_venue_connected', '1 while the connection to the venue is open.', ['venue']);
  const connections = addCounter(metrics, 'feed_venue_connections_total', 'Connections to the venue that were opened.', ['venue']);
  const received = addCounter(metrics, 'feed_venue_messages_total', 'Messages received from the venue.', ['venue']);
  const queued = addGauge(metrics, 'feed_venue_queue', 'Messages waiting to be written to the logs.', ['venue']);
  const letGo = addCounter(metrics, 'feed_venue_let_go_total', 'Messages of the venue that were dropped unread.', ['venue', 'reason']);
  return {
    connected(venue: string, isConnected: boolean) {
      connected.set({ venue }, isConnected ? 1 : 0);
      if (isConnected) connections.inc({ venue });
    },
    received: (venue: string, messages: number) => received.inc({ venue }, messages),
    queued: (venue: string, messages: number) => queued.set({ venue }, messages),
    letGo: (venue: string, reason: 'oversized_frame' | 'overflow', messages: number) => letGo.inc({ venue, reason }, messages),
  };
}

interface ConnectionDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: VenueMetrics;
  readonly inboxes: ReadonlyMap<string, Inbox>;
  readonly random?: () => number;
}

/** Local faults are not fixed within seconds. */
const refusedRetry = { minMs: 10_000, maxMs: 300_000 };

export async function keepConnection(kept: OpenConnection, deps: ConnectionDeps, signal: AbortSignal): Promise<void> {
  const { name: venue, source, rows } = kept;
  const { logger, random = Math.random } = deps;
  const instruments = rows.map(({ venueInstrument }) => venueInstrument);
  const router = createRouter(kept, deps, signal);
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const event of runConnection({ source, instruments, signal, logger: logger.child({ venue }), random })) {
        await router.take(event);
        if (event.type === 'messages') failures = 0;
      }
    } catch (error) {
      if (signal.aborted) return;
      logger.error({ venue, err: error }, 'the venue cannot be played');
      await router.take({ type: 'disconnected', reason: 'the connection failed' });
      await delay(backoffMs(failures++, refusedRetry), signal).catch(() => undefined);
    }
  }
}

function createRouter({ name: venue, namesOf }: OpenConnection, { clock, metrics, inboxes }: ConnectionDeps, signal: AbortSignal) {
  const all = [...inboxes.values()];
  let ended = new AbortController();
  let current: VenueConnection | undefined;
  let counted = { oversizedFrames: 0, collapsedBooks: 0 };
  let counts: () => typeof counted = () => counted;

  async function report(notifiedInboxes: readonly Inbox[], item: InboxItem): Promise<void> {
    for (const inbox of notifiedInboxes) await inbox.put(item, signal);
  }

  /** Messages without an instrument go to all symbols if they answer a request, otherwise to the first for counting. */
  function readersOf(text: string, line: string): readonly Inbox[] {
    const named = namesOf(line).flatMap((name) => inboxes.get(name) ?? []);
    if (named.length > 0) return named;
    return text.startsWith('[') ? all : all.slice(0, 1);
  }

  async function takeMessage({ receivedMs, receivedNs, text }: RawMessage): Promise<void> {
    const line = `${receivedNs} ${text}`;
    await report(readersOf(text, line), { type: 'line', atMs: Math.min(receivedMs, clock.nowMs()), line });
  }

  async function passListing({ instrument, missing: reason }: ListingChange): Promise<void> {
    const inbox = inboxes.get(instrument);
    if (inbox === undefined || current === undefined) return;
    const atMs = clock.nowMs();
    const connected = { type: 'connected', atMs, connection: current, ended: AbortSignal.any([ended.signal, signal]) } as const;
    await report([inbox], reason === undefined ? connected : { type: 'unlisted', atMs, reason });
  }

  async function takeBatch({ messages, overflow, refusedFrameMs, listing }: MessageBatch): Promise<void> {
    if (listing !== undefined) await passListing(listing);
    if (refusedFrameMs !== undefined) await report(all, { type: 'frame_refused', atMs: Math.min(refusedFrameMs, clock.nowMs()) });
    if (overflow !== undefined) {
      for (const name of Object.keys(overflow.collapsedBooks)) {
        const inbox = inboxes.get(name);
        if (inbox !== undefined) await report([inbox], { type: 'overflow', atMs: clock.nowMs() });
      }
    }
    for (const message of messages) await takeMessage(message);
    metrics.received(venue, messages.length);
    metrics.queued(
      venue,
      all.reduce((sum, { size }) => sum + size, 0),
    );
    countLetGo();
  }

  function countLetGo(): void {
    const now = counts();
    metrics.letGo(venue, 'oversized_frame', now.oversizedFrames - counted.oversizedFrames);
    metrics.letGo(venue, 'overflow', now.collapsedBooks - counted.collapsedBooks);
    counted = { ...now };
  }

  return {
    async take(event: ConnectionEvent): Promise<void> {
      switch (event.type) {
        case 'connected': {
          ended = new AbortController();
          counted = { oversizedFrames: 0, collapsedBooks: 0 };
          counts = () => ({
            oversizedFrames: event.connection.counts.oversizedFrames,
            collapsedBooks: event.connection.counts.collapsedBooks,
          });
          metrics.connected(venue, true);
          current = event.connection;
          for (const instrument of inboxes.keys()) await passListing({ instrument, missing: event.missing.get(instrument) });
          return;
        }
        case 'messages':
          return takeBatch(event.batch);
        case 'disconnected':
          ended.abort();
          countLetGo();
          metrics.connected(venue, false);
          return report(all, { type: 'disconnected', atMs: clock.nowMs(), reason: event.reason });
      }
    },
  };
}

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

import type { PlacedEvent, RejectionCounts, BookEvent, DeepBook } from '@market-state/market-data';
import type { FeedMetrics, Phase } from './feed-metrics';
import type { PauseReason } from './log-writer';

/** Whether the book follows the venue without a hole; `degraded`: and nobody has given a snapshot to mend it with. */
type SyncState = 'in_sync' | 'resyncing' | 'degraded';

/** What a symbol's log says now, as far as the feed serves it. */
interface LiveView {
  /** The last book appended; deeper, to 1,000 levels a side, where the venue sends more levels than an event holds. */
  readonly book?: { readonly event: BookEvent; readonly deepBook?: DeepBook };
  readonly syncState: SyncState;
  readonly feedClockMs: number;
}

const emptyView: LiveView = { syncState: 'resyncing', feedClockMs: 0 };

/** The view once an event was appended. */
function viewAfter(view: LiveView, { event, deepBook, dueFeedClockMs }: PlacedEvent): LiveView {
  const feedClockMs = dueFeedClockMs;
  if (event.kind === 'book') return { book: { event, deepBook }, syncState: 'in_sync', feedClockMs };
  if (event.kind !== 'feed_status') return { ...view, feedClockMs };
  switch (event.status.type) {
    case 'connected':
    case 'disconnected':
    case 'seam':
      return { ...view, syncState: 'resyncing', feedClockMs };
    case 'gap': {
      const isOfBook = event.status.endMs === 0 && (event.status.channel ?? 'book') === 'book';
      return isOfBook ? { ...view, syncState: isLive(event) ? 'resyncing' : 'degraded', feedClockMs } : { ...view, feedClockMs };
    }
    case 'resynced':
      return { ...view, feedClockMs };
  }
}

/** A live venue can be asked for a snapshot; a recording can't. */
function isLive({ pass }: { readonly pass: number }): boolean {
  return pass === 0;
}

/** A symbol's feed as the process shows it. */
export interface SymbolSnapshot {
  readonly symbol: string;
  readonly phase: Phase;
  readonly pass: number;
  readonly epoch: number;
  readonly lastOrdinal: number;
  /** Of the log as this process wrote it: nothing of it holds while it stands by. */
  readonly view: LiveView;
  readonly standsBy: boolean;
  /** One sentence: why the venue brings nothing of it. Absent where it does. */
  readonly missing?: string;
  /** Since start, by reason; reasons that occurred. */
  readonly rejectedTotal: Readonly<Record<string, number>>;
}

/** Follows a symbol's feed and tells the metrics. */
export interface SymbolStatus {
  snapshot(): SymbolSnapshot;
  /** A pass, or a live log (pass 0), goes on from here. `rejections` tells the counts so far, which only rise. */
  began(place: { readonly pass: number; readonly epoch: number }, lastOrdinal: number, rejections: () => Readonly<RejectionCounts>): void;
  /**
   * An event that the log holds already was made again. Nothing of it is shown before the pass goes on: until then it lies behind the log.
   */
  regenerated(placed: PlacedEvent): void;
  appended(events: readonly PlacedEvent[], lagMs: number): void;
  /** Nothing is due any more. */
  caughtUp(): void;
  paused(reason: PauseReason | undefined): void;
  /** The venue is there: for the first time, or again. */
  connected(): void;
  /** The venue does not list the instrument; `connected` ends it. */
  missing(reason: string): void;
  /** The venue was asked for the book and did not give it; or it has, after all. */
  degraded(isDegraded: boolean): void;
  /** Another feed writes the log. @param isReady whether this one could take over as it is now */
  standsBy(isReady: boolean): void;
  /** A live log was carried on from another feed. @param isWhole with every entry in its place, not behind a gap */
  tookOver(isWhole: boolean): void;
  stopped(): void;
}

/** A feed further behind its time than this is priming, milliseconds. */
const lagMsMax = 1_000;

/** @param isLive it plays from the venue's first connection on; before, it is priming */
export function createSymbolStatus(symbol: string, metrics: FeedMetrics, onPhase: (phase: Phase) => void, isLive = false): SymbolStatus {
  let isAwaited = isLive;
  let snapshot: SymbolSnapshot = {
    symbol,
    phase: 'stopped',
    pass: 0,
    epoch: 0,
    lastOrdinal: 0,
    view: emptyView,
    standsBy: false,
    rejectedTotal: {},
  };
  let counted: Readonly<RejectionCounts> | undefined;
  let counts: (() => Readonly<RejectionCounts>) | undefined;
  let remade: LiveView | undefined;

  function enter(entered: Phase): void {
    const phase = isAwaited && entered === 'playing' ? 'priming' : entered;
    if (phase === snapshot.phase) return;
    snapshot = { ...snapshot, phase };
    metrics.phase(symbol, phase);
    onPhase(phase);
  }

  function countRejections(): void {
    if (counts === undefined || counted === undefined) return;
    const now = counts();
    const total: Record<string, number> = { ...snapshot.rejectedTotal };
    for (const [reason, count] of Object.entries(now)) {
      const more = count - (counted[reason as keyof RejectionCounts] ?? 0);
      if (more === 0) continue;
      total[reason] = (total[reason] ?? 0) + more;
      metrics.rejected(symbol, reason, more);
    }
    counted = { ...now };
    snapshot = { ...snapshot, rejectedTotal: total };
  }

  return {
    snapshot: () => snapshot,
    began({ pass, epoch }, lastOrdinal, rejections) {
      countRejections();
      counts = rejections;
      counted = { ...rejections() };
      snapshot = { ...snapshot, pass, epoch, lastOrdinal, view: remade ?? snapshot.view, standsBy: false };
      remade = undefined;
      metrics.pass(symbol, pass);
      metrics.paused(symbol, undefined);
      if (snapshot.phase === 'stopped' || snapshot.phase === 'standby') enter('priming');
    },
    regenerated(placed) {
      remade = viewAfter(remade ?? emptyView, placed);
    },
    appended(events, lagMs) {
      const lastOrdinal = events.at(-1)?.event.ordinal ?? snapshot.lastOrdinal;
      snapshot = { ...snapshot, lastOrdinal, view: events.reduce(viewAfter, snapshot.view) };
      countRejections();
      metrics.appended(symbol, events, lagMs);
      enter(lagMs > lagMsMax ? 'priming' : 'playing');
    },
    caughtUp: () => enter('playing'),
    paused(reason) {
      metrics.paused(symbol, reason);
      if (reason !== undefined) enter('paused');
    },
    connected() {
      isAwaited = false;
      if (snapshot.missing === undefined) return;
      snapshot = { ...snapshot, missing: undefined };
      metrics.missing(symbol, false);
    },
    missing(reason) {
      isAwaited = true;
      snapshot = { ...snapshot, missing: reason };
      metrics.missing(symbol, true);
      if (snapshot.phase === 'playing') enter('priming');
    },
    degraded(isDegraded) {
      const { view } = snapshot;
      if (isDegraded || view.syncState === 'degraded')
        snapshot = { ...snapshot, view: { ...view, syncState: isDegraded ? 'degraded' : 'resyncing' } };
    },
    standsBy(isReady) {
      if (!snapshot.standsBy) metrics.paused(symbol, undefined);
      snapshot = { ...snapshot, view: emptyView, standsBy: true };
      enter(isReady ? 'standby' : 'priming');
    },
    tookOver: (isWhole) => metrics.tookOver(symbol, isWhole),
    stopped: () => enter('stopped'),
  };
}

import type { PlacedEvent, RejectionCounts, BookEvent, DeepBook } from '@market-state/market-data';
import type { FeedMetrics, Phase } from './feed-metrics';
import type { PauseReason } from './log-writer';

/** `degraded`: out of sync, and no snapshot could be obtained. */
type SyncState = 'in_sync' | 'resyncing' | 'degraded';

interface LiveView {
  readonly book?: { readonly event: BookEvent; readonly deepBook?: DeepBook };
  readonly syncState: SyncState;
  readonly feedClockMs: number;
}

const emptyView: LiveView = { syncState: 'resyncing', feedClockMs: 0 };

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

/** Only a live venue can provide a snapshot. */
function isLive({ pass }: { readonly pass: number }): boolean {
  return pass === 0;
}

export interface SymbolSnapshot {
  readonly symbol: string;
  readonly phase: Phase;
  readonly pass: number;
  readonly epoch: number;
  readonly lastOrdinal: number;
  /** Valid only while this process writes the log, not on standby. */
  readonly view: LiveView;
  readonly standsBy: boolean;
  readonly missing?: string;
  /** Feed clock at which the history that is being filled began; absent if none is. */
  readonly fillingFromMs?: number;
  readonly rejectedTotal: Readonly<Record<string, number>>;
}

export interface SymbolStatus {
  snapshot(): SymbolSnapshot;
  began(place: { readonly pass: number; readonly epoch: number }, lastOrdinal: number, rejections: () => Readonly<RejectionCounts>): void;
  /** An already logged event was recomputed. Hidden until the pass continues, since it lags behind the log. */
  regenerated(placed: PlacedEvent): void;
  appended(events: readonly PlacedEvent[], lagMs: number): void;
  caughtUp(): void;
  paused(reason: PauseReason | undefined): void;
  connected(): void;
  missing(reason: string): void;
  /** The venue failed to provide a requested book, or provided it later. */
  degraded(isDegraded: boolean): void;
  standsBy(isReady: boolean): void;
  tookOver(isWhole: boolean): void;
  stopped(): void;
  /** No archive is being imported. */
  idle(): void;
}

/** Larger lags count as priming. */
const lagMsMax = 1_000;

/**
 * @param onServing called with true if the symbol plays, is ready on standby, or has a history that is being filled
 * @param source `live`: playing starts with the venue's first connection, and no history is filled; `imported`: serves
 * at any time
 */
export function createSymbolStatus(
  symbol: string,
  metrics: FeedMetrics,
  onServing: (isServing: boolean) => void,
  source: 'recorded' | 'live' | 'imported' = 'recorded',
): SymbolStatus {
  let isAwaited = source === 'live';
  /** From a start until the feed has caught up. */
  let isCatchingUp = false;
  let pausedBy: PauseReason | undefined;
  let wasServing = false;
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
    const isFilling = phase === 'priming' || phase === 'paused';
    if (!isFilling) isCatchingUp = false;
    snapshot = { ...snapshot, phase, fillingFromMs: isFilling ? snapshot.fillingFromMs : undefined };
    metrics.phase(symbol, phase);
    reportServing();
  }

  function reportServing(): void {
    if (wasServing === isServing()) return;
    wasServing = isServing();
    onServing(wasServing);
  }

  function isServing(): boolean {
    const { phase, fillingFromMs } = snapshot;
    if (source === 'imported') return phase !== 'stopped';
    if (phase === 'playing' || phase === 'standby') return true;
    return fillingFromMs !== undefined && (phase === 'priming' || (phase === 'paused' && pausedBy === 'consumers'));
  }

  function fillFrom(first: PlacedEvent | undefined): void {
    if (!isCatchingUp || first === undefined || snapshot.phase !== 'priming' || snapshot.fillingFromMs !== undefined) return;
    snapshot = { ...snapshot, fillingFromMs: first.dueFeedClockMs };
    reportServing();
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
      if (!['stopped', 'standby', 'idle'].includes(snapshot.phase)) return;
      isCatchingUp = source === 'recorded';
      enter('priming');
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
      fillFrom(events[0]);
    },
    caughtUp: () => enter('playing'),
    paused(reason) {
      metrics.paused(symbol, reason);
      pausedBy = reason;
      if (reason !== undefined) enter('paused');
      reportServing();
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
    idle: () => enter('idle'),
  };
}

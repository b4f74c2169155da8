import type { PlacedEvent, RejectionCounts } from '@market-state/market-data';
import type { FeedMetrics } from './feed-metrics';
import type { FeedState } from './feed-state';
import { emptyView, type LiveView, viewAfter } from './live-view';
import type { PauseReason } from './log-writer';

/** `priming`: behind its time and catching up. */
export type Phase = 'priming' | 'playing' | 'paused' | 'stopped';

/** A symbol's feed as the process shows it. */
export interface SymbolSnapshot {
  readonly symbol: string;
  readonly phase: Phase;
  readonly pass: number;
  readonly epoch: number;
  readonly lastOrdinal: number;
  readonly view: LiveView;
  /** Since start, by reason; reasons that occurred. */
  readonly rejectedTotal: Readonly<Record<string, number>>;
}

/** Follows a symbol's feed and tells the metrics. */
export interface SymbolStatus {
  snapshot(): SymbolSnapshot;
  /** A pass goes on from here. `rejections` counts on while it is played. */
  began(state: FeedState, lastOrdinal: number, rejections: Readonly<RejectionCounts>): void;
  /** An event that the log holds already was made again. */
  regenerated(placed: PlacedEvent): void;
  appended(events: readonly PlacedEvent[], lagMs: number): void;
  /** Nothing is due any more. */
  caughtUp(): void;
  paused(reason: PauseReason | undefined): void;
  stopped(): void;
}

/** A feed further behind its time than this is priming, milliseconds. */
const lagMsMax = 1_000;

export function createSymbolStatus(symbol: string, metrics: FeedMetrics, onPhase: (phase: Phase) => void): SymbolStatus {
  let snapshot: SymbolSnapshot = { symbol, phase: 'stopped', pass: 0, epoch: 0, lastOrdinal: 0, view: emptyView, rejectedTotal: {} };
  let counted: Readonly<RejectionCounts> | undefined;
  let counts: Readonly<RejectionCounts> | undefined;

  function enter(phase: Phase): void {
    if (phase === snapshot.phase) return;
    snapshot = { ...snapshot, phase };
    metrics.phase(symbol, phase);
    onPhase(phase);
  }

  function countRejections(): void {
    if (counts === undefined || counted === undefined) return;
    const total: Record<string, number> = { ...snapshot.rejectedTotal };
    for (const [reason, count] of Object.entries(counts)) {
      const more = count - (counted[reason as keyof RejectionCounts] ?? 0);
      if (more === 0) continue;
      total[reason] = (total[reason] ?? 0) + more;
      metrics.rejected(symbol, reason, more);
    }
    counted = { ...counts };
    snapshot = { ...snapshot, rejectedTotal: total };
  }

  return {
    snapshot: () => snapshot,
    began({ pass, epoch }, lastOrdinal, rejections) {
      countRejections();
      counts = rejections;
      counted = { ...rejections };
      snapshot = { ...snapshot, pass, epoch, lastOrdinal };
      metrics.pass(symbol, pass);
      metrics.paused(symbol, undefined);
      if (snapshot.phase === 'stopped') enter('priming');
    },
    regenerated(placed) {
      snapshot = { ...snapshot, view: viewAfter(snapshot.view, placed) };
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
    stopped: () => enter('stopped'),
  };
}

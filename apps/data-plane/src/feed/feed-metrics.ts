import type { MemoryUsage } from '@market-state/event-log';
import { channelOf, type PlacedEvent } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import type { PauseReason } from './log-writer';

/**
 * `priming`: catching up, or on standby but not ready; `standby`: another feed writes the log, and this one could take
 * over without a gap; `idle`: no archive is being imported.
 */
export type Phase = 'priming' | 'playing' | 'paused' | 'standby' | 'stopped' | 'idle';

export interface FeedMetrics {
  appended(symbol: string, events: readonly PlacedEvent[], lagMs: number): void;
  rejected(symbol: string, reason: string, count: number): void;
  phase(symbol: string, phase: Phase): void;
  pass(symbol: string, pass: number): void;
  paused(symbol: string, reason: PauseReason | undefined): void;
  memory(symbol: string, usage: MemoryUsage, pausesAboveBytes: number): void;
  held(symbol: string, isHeld: boolean): void;
  missing(symbol: string, isMissing: boolean): void;
  /** `isWhole`: without a gap. */
  tookOver(symbol: string, isWhole: boolean): void;
  repaired(symbol: string, entries: number): void;
}

interface FeedMetricsOptions {
  /** Without those that are only imported. */
  readonly symbols: readonly string[];
  readonly monotonicMs: () => number;
}

const phases: readonly Phase[] = ['priming', 'playing', 'paused', 'standby', 'stopped', 'idle'];
const pauseReasons: readonly PauseReason[] = ['consumers', 'memory'];

export function createFeedMetrics({ registry }: Metrics, { symbols, monotonicMs }: FeedMetricsOptions): FeedMetrics {
  const registers = [registry];
  const heardMs = new Map(symbols.map((symbol) => [symbol, monotonicMs()]));
  const appended = new Counter({
    name: 'feed_entries_appended_total',
    help: 'Entries appended to the event log.',
    labelNames: ['symbol', 'channel'],
    registers,
  });
  const rejected = new Counter({
    name: 'feed_messages_rejected_total',
    help: 'Messages rejected by the log.',
    labelNames: ['symbol', 'reason'],
    registers,
  });
  const lag = new Gauge({
    name: 'feed_lag_seconds',
    help: 'How late the last entry was appended.',
    labelNames: ['symbol'],
    registers,
  });
  const ordinal = new Gauge({ name: 'feed_last_ordinal', help: 'The last entry appended.', labelNames: ['symbol'], registers });
  const pass = new Gauge({ name: 'feed_pass', help: 'Pass of the recording.', labelNames: ['symbol'], registers });
  const phase = new Gauge({ name: 'feed_phase', help: '1 for the phase a symbol is in.', labelNames: ['symbol', 'phase'], registers });
  const paused = new Gauge({
    name: 'feed_paused',
    help: '1 while a symbol is paused for this reason; memory is an alarm.',
    labelNames: ['symbol', 'reason'],
    registers,
  });
  const repaired = new Counter({
    name: 'feed_log_repaired_entries_total',
    help: 'Entries appended again after the event log lost them, as in a failover of Redis.',
    labelNames: ['symbol'],
    registers,
  });
  const held = new Gauge({
    name: 'feed_lease_held',
    help: '1 while this process may append to the log of a symbol, 0 while another may.',
    labelNames: ['symbol'],
    registers,
  });
  const takeovers = new Counter({
    name: 'feed_takeovers_total',
    help: 'Logs of live symbols taken over from another feed: whole, or behind a gap.',
    labelNames: ['symbol', 'result'],
    registers,
  });
  const missing = new Gauge({
    name: 'feed_instrument_missing',
    help: '1 while the venue does not list the instrument of a symbol; readyz states the reason.',
    labelNames: ['symbol'],
    registers,
  });
  for (const symbol of symbols) {
    held.set({ symbol }, 0);
    missing.set({ symbol }, 0);
  }
  new Gauge({
    name: 'feed_silence_seconds',
    help: 'Time since the last market event of a symbol, not counting ticks and feed status.',
    labelNames: ['symbol'],
    registers,
    collect() {
      for (const [symbol, atMs] of heardMs) this.set({ symbol }, (monotonicMs() - atMs) / 1_000);
    },
  });
  const memoryUsed = new Gauge({
    name: 'event_log_memory_bytes',
    help: "Memory in use of the store that contains a symbol's log.",
    labelNames: ['symbol'],
    registers,
  });
  const memoryLimit = new Gauge({
    name: 'event_log_memory_limit_bytes',
    help: "Memory above which appending to a symbol's log pauses: the feed's own limit or the store's, whichever is lower.",
    labelNames: ['symbol'],
    registers,
  });

  return {
    held(symbol, isHeld) {
      held.set({ symbol }, isHeld ? 1 : 0);
      // Values of a log written by another feed would be stale.
      if (!isHeld) [lag, ordinal, memoryUsed, memoryLimit].forEach((gauge) => gauge.remove({ symbol }));
    },
    missing: (symbol, isMissing) => missing.set({ symbol }, isMissing ? 1 : 0),
    tookOver: (symbol, isWhole) => takeovers.inc({ symbol, result: isWhole ? 'whole' : 'gap' }),
    repaired: (symbol, entries) => repaired.inc({ symbol }, entries),
    appended(symbol, events, lagMs) {
      for (const { event } of events) {
        appended.inc({ symbol, channel: channelOf(event) });
        if (event.kind !== 'tick' && event.kind !== 'feed_status' && heardMs.has(symbol)) heardMs.set(symbol, monotonicMs());
      }
      lag.set({ symbol }, lagMs / 1_000);
      ordinal.set({ symbol }, events.at(-1)?.event.ordinal ?? 0);
    },
    rejected: (symbol, reason, count) => rejected.inc({ symbol, reason }, count),
    phase: (symbol, current) => phases.forEach((each) => phase.set({ symbol, phase: each }, each === current ? 1 : 0)),
    pass: (symbol, current) => pass.set({ symbol }, current),
    paused: (symbol, reason) => pauseReasons.forEach((each) => paused.set({ symbol, reason: each }, each === reason ? 1 : 0)),
    memory(symbol, { usedBytes, limitBytes }, pausesAboveBytes) {
      memoryUsed.set({ symbol }, usedBytes);
      memoryLimit.set({ symbol }, limitBytes === 0 ? pausesAboveBytes : Math.min(limitBytes, pausesAboveBytes));
    },
  };
}

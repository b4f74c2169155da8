import type { MemoryUsage } from '@market-state/event-log';
import { channelOf, type PlacedEvent } from '@market-state/market-data';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';
import type { PauseReason } from './log-writer';

/**
 * `priming`: catching up, or on standby but not ready; `standby`: another feed writes the log, and this one could take
 * over without a gap; `idle`: no archive is being imported.
 */
export type Phase = 'priming' | 'playing' | 'paused' | 'standby' | 'stopped' | 'idle';

export type FeedMetrics = ReturnType<typeof createFeedMetrics>;

interface FeedMetricsOptions {
  /** Without those that are only imported. */
  readonly symbols: readonly string[];
  readonly monotonicMs: () => number;
}

const phases: readonly Phase[] = ['priming', 'playing', 'paused', 'standby', 'stopped', 'idle'];
const pauseReasons: readonly PauseReason[] = ['consumers', 'memory'];

export function createFeedMetrics(metrics: Metrics, { symbols, monotonicMs }: FeedMetricsOptions) {
  const heardMs = new Map(symbols.map((symbol) => [symbol, monotonicMs()]));
  const appended = addCounter(metrics, 'feed_entries_appended_total', 'Entries appended to the event log.', ['symbol', 'channel']);
  const rejected = addCounter(metrics, 'feed_messages_rejected_total', 'Messages rejected by the log.', ['symbol', 'reason']);
  const lag = addGauge(metrics, 'feed_lag_seconds', 'How late the last entry was appended.', ['symbol']);
  const ordinal = addGauge(metrics, 'feed_last_ordinal', 'The last entry appended.', ['symbol']);
  const pass = addGauge(metrics, 'feed_pass', 'Pass of the recording.', ['symbol']);
  const phase = addGauge(metrics, 'feed_phase', '1 for the phase a symbol is in.', ['symbol', 'phase']);
  const paused = addGauge(metrics, 'feed_paused', '1 while a symbol is paused for this reason; memory is an alarm.', ['symbol', 'reason']);
  const repaired = addCounter(
    metrics,
    'feed_log_repaired_entries_total',
    'Entries appended again after the event log lost them, as in a failover of Redis.',
    ['symbol'],
  );
  const held = addGauge(metrics, 'feed_lease_held', '1 while this process may append to the log of a symbol, 0 while another may.', [
    'symbol',
  ]);
  const takeovers = addCounter(
    metrics,
    'feed_takeovers_total',
    'Logs of live symbols taken over from another feed: whole, or behind a gap.',
    ['symbol', 'result'],
  );
  const missing = addGauge(
    metrics,
    'feed_instrument_missing',
    '1 while the venue does not list the instrument of a symbol; readyz states the reason.',
    ['symbol'],
  );
  for (const symbol of symbols) {
    held.set({ symbol }, 0);
    missing.set({ symbol }, 0);
  }
  const silenceHelp = 'Time since the last market event of a symbol, not counting ticks and feed status.';
  addGauge(metrics, 'feed_silence_seconds', silenceHelp, ['symbol'], (silence) => {
    for (const [symbol, atMs] of heardMs) silence.set({ symbol }, (monotonicMs() - atMs) / 1_000);
  });
  const memoryUsed = addGauge(metrics, 'event_log_memory_bytes', "Memory in use of the store that contains a symbol's log.", ['symbol']);
  const memoryLimit = addGauge(
    metrics,
    'event_log_memory_limit_bytes',
    "Memory above which appending to a symbol's log pauses: the feed's own limit or the store's, whichever is lower.",
    ['symbol'],
  );

  return {
    held(symbol: string, isHeld: boolean) {
      held.set({ symbol }, isHeld ? 1 : 0);
      // Values of a log written by another feed would be stale.
      if (!isHeld) [lag, ordinal, memoryUsed, memoryLimit].forEach((gauge) => gauge.remove({ symbol }));
    },
    missing: (symbol: string, isMissing: boolean) => missing.set({ symbol }, isMissing ? 1 : 0),
    /** `isWhole`: without a gap. */
    tookOver: (symbol: string, isWhole: boolean) => takeovers.inc({ symbol, result: isWhole ? 'whole' : 'gap' }),
    repaired: (symbol: string, entries: number) => repaired.inc({ symbol }, entries),
    appended(symbol: string, events: readonly PlacedEvent[], lagMs: number) {
      for (const { event } of events) {
        appended.inc({ symbol, channel: channelOf(event) });
        if (event.kind !== 'tick' && event.kind !== 'feed_status' && heardMs.has(symbol)) heardMs.set(symbol, monotonicMs());
      }
      lag.set({ symbol }, lagMs / 1_000);
      ordinal.set({ symbol }, events.at(-1)?.event.ordinal ?? 0);
    },
    rejected: (symbol: string, reason: string, count: number) => rejected.inc({ symbol, reason }, count),
    phase: (symbol: string, current: Phase) => phases.forEach((each) => phase.set({ symbol, phase: each }, each === current ? 1 : 0)),
    pass: (symbol: string, current: number) => pass.set({ symbol }, current),
    paused: (symbol: string, reason: PauseReason | undefined) =>
      pauseReasons.forEach((each) => paused.set({ symbol, reason: each }, each === reason ? 1 : 0)),
    memory(symbol: string, { usedBytes, limitBytes }: MemoryUsage, pausesAboveBytes: number) {
      memoryUsed.set({ symbol }, usedBytes);
      memoryLimit.set({ symbol }, limitBytes === 0 ? pausesAboveBytes : Math.min(limitBytes, pausesAboveBytes));
    },
  };
}

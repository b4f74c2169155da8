import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';

/** How much is refused: 0 nothing, 1 calls that weigh more than 4, 2 all that weigh more than 1, 3 all but `latest` of remembered keys. */
export type LoadLevel = 0 | 1 | 2 | 3;

/** Lag of the event loop above which each level begins, milliseconds. A level ends at half of it. */
const BEGINS_MS = [0, 200, 400, 800] as const;

const SAMPLE_EVERY_MS = 50;
/** A process that was stopped for a minute is not busy for long after. */
const SAMPLE_MS_MAX = 5_000;
/** Part of a new sample: one long turn of the loop by itself is no lag, some in a row are. */
const SAMPLE_PART = 0.3;

/** The lag after one more sample, milliseconds. */
export function smoothLag(lagMs: number, sampleMs: number): number {
  return lagMs + SAMPLE_PART * (Math.min(sampleMs, SAMPLE_MS_MAX) - lagMs);
}

/** The level after the lag has become this. */
export function nextLevel(level: LoadLevel, lagMs: number): LoadLevel {
  const begun = BEGINS_MS.findLastIndex((beginsMs) => lagMs > beginsMs);
  if (begun >= level) return Math.max(begun, 0) as LoadLevel;
  return lagMs > BEGINS_MS[level] / 2 ? level : nextLevel((level - 1) as LoadLevel, lagMs);
}

/** How far the event loop lags behind its timers. */
export interface EventLoopLag {
  level(): LoadLevel;
  close(): void;
}

export function watchEventLoop(metrics: Metrics): EventLoopLag {
  const gauge = new Gauge({
    name: 'event_loop_lag_milliseconds',
    help: 'How late timers are, smoothed over some turns of the event loop.',
    registers: [metrics.registry],
  });
  const levels = new Gauge({
    name: 'load_level',
    help: 'How much is refused for the lag of the event loop: 0 nothing to 3 all but latest.',
    registers: [metrics.registry],
  });
  let level: LoadLevel = 0;
  let lagMs = 0;
  let dueMs = performance.now() + SAMPLE_EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lagMs = smoothLag(lagMs, Math.max(0, nowMs - dueMs));
    dueMs = nowMs + SAMPLE_EVERY_MS;
    level = nextLevel(level, lagMs);
    gauge.set(lagMs);
    levels.set(level);
  }, SAMPLE_EVERY_MS);
  timer.unref();
  return { level: () => level, close: () => clearInterval(timer) };
}

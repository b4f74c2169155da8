import type { marketData } from '@market-state/contracts';
import { delay } from '@market-state/lifecycle';
import { RowBatcher, STREAM_BYTES } from './sent-rows';

export interface Timer {
  /** Monotonic milliseconds. */
  nowMs(): number;
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const processTimer: Timer = {
  nowMs: () => performance.now(),
  sleep: (durationMs, signal) => delay(durationMs, signal).catch(() => undefined),
};

/** Replay output in order, with the feed clock of its receipt. */
export type ReplayItem =
  | { readonly kind: 'row'; readonly receivedMs: number; readonly row: marketData.DataRow }
  | { readonly kind: 'gap'; readonly receivedMs: number; readonly gap: marketData.Gap }
  /** Already sent by an earlier stream; skipped. */
  | { readonly kind: 'passed'; readonly receivedMs: number };

export type MergedItem = ReplayItem & { readonly of: number };

type Frame = NonNullable<marketData.StreamReplayResponse['frame']>;

/** Half of the idle time that clients accept, with some margin. */
const HEARTBEAT_MS = 10_000;

/** Shorter waits are skipped. */
const QUANTUM_MS = 10;

interface Pace {
  /** Multiple of the recorded pace; 0: unpaced. */
  readonly speed: number;
  readonly timer: Timer;
  readonly signal: AbortSignal;
}

/**
 * Emits the first item immediately, the others spaced as received, `speed` times as fast. Merged rows carry their
 * replay's index.
 */
export async function* pacedFrames(
  items: AsyncIterable<ReplayItem | MergedItem>,
  { speed, timer, signal }: Pace,
): AsyncGenerator<Frame, void, undefined> {
  const batch = new RowBatcher(STREAM_BYTES);
  const of: number[] = [];
  let start: { readonly atMs: number; readonly receivedMs: number } | undefined;
  let saidAtMs = timer.nowMs();

  function* said(frame: Frame): Generator<Frame> {
    yield frame;
    saidAtMs = timer.nowMs();
  }

  function rowsFrame(rows: marketData.DataRow[]): Frame {
    return of.length === 0 ? { $case: 'rows', value: { rows } } : { $case: 'mergedRows', value: { rows, of: of.splice(0, rows.length) } };
  }

  function* flushed(): Generator<Frame> {
    if (!batch.isEmpty) yield* said(rowsFrame(batch.take()));
  }

  for await (const item of items) {
    const silentMs = timer.nowMs() - saidAtMs;
    if (item.kind === 'passed') {
      if (silentMs >= HEARTBEAT_MS) yield* said({ $case: 'heartbeat', value: { feedClockMs: item.receivedMs } });
      continue;
    }
    start ??= { atMs: timer.nowMs(), receivedMs: item.receivedMs };
    const dueMs = speed === 0 ? 0 : start.atMs + (item.receivedMs - start.receivedMs) / speed;
    if (dueMs - timer.nowMs() > QUANTUM_MS) yield* flushed();
    for (let waitMs = dueMs - timer.nowMs(); waitMs > QUANTUM_MS && !signal.aborted; waitMs = dueMs - timer.nowMs()) {
      const untilHeartbeatMs = saidAtMs + HEARTBEAT_MS - timer.nowMs();
      if (untilHeartbeatMs <= 0) yield* said({ $case: 'heartbeat', value: { feedClockMs: Math.floor(item.receivedMs - waitMs * speed) } });
      else await timer.sleep(Math.min(waitMs, untilHeartbeatMs), signal);
    }
    if (signal.aborted) return;
    if (item.kind === 'row') {
      const full = batch.add(item.row);
      if (full !== undefined) yield* said(rowsFrame(full));
      if ('of' in item) of.push(item.of);
    } else {
      yield* flushed();
      yield* said({ $case: 'gap', value: item.gap });
    }
  }
  yield* flushed();
}

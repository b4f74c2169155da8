import { encodeEvent, type PlacedEvent } from '@market-state/market-data';
import type { Clock } from './clock';
import type { LogWriter, OutgoingEntry } from './log-writer';
import { dueWallMs, type Pace, paceOnceCaughtUp, type Speed } from './pace';

/** Entries of one append at most. */
const batchEntriesMax = 200;
/** A feed further behind its time than this is catching up, milliseconds. */
const lagMsMax = 1_000;

interface PacedAppendDeps {
  readonly writer: LogWriter;
  readonly clock: Clock;
  readonly speed: Speed;
  readonly signal: AbortSignal;
  /** Told after each append: what is in the log now, and how far behind its time it came, milliseconds; 0 when unpaced. */
  readonly onAppended: (events: readonly PlacedEvent[], lagMs: number) => void;
  /** Told when nothing is due any more. */
  readonly onCaughtUp: () => void;
  /** Resolves once a new pace is stored. */
  readonly onPace: (pace: Pace) => Promise<void>;
}

/** Appends events when they are due: whatever is due at once as one batch. */
interface PacedAppend {
  /** Takes the next event; resolves at its time or when it waits in the batch of those that are due. */
  add(placed: PlacedEvent): Promise<void>;
  /** Appends what waits in the batch. */
  flush(): Promise<void>;
  pace(): Pace;
}

export function createPacedAppend(deps: PacedAppendDeps, startPace: Pace): PacedAppend {
  const { writer, clock, speed, signal } = deps;
  let pace = startPace;
  let batch: OutgoingEntry[] = [];

  async function flush(): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const entries = batch;
    batch = [];
    const lagMs = pace.kind === 'unpaced' ? 0 : Math.max(0, clock.nowMs() - dueWallMs(pace, first.placed.dueFeedClockMs));
    await writer.append(entries, speed !== 1 || lagMs > lagMsMax);
    deps.onAppended(
      entries.map(({ placed }) => placed),
      lagMs,
    );
  }

  async function waitUntilDue(feedClockMs: number): Promise<void> {
    if (dueWallMs(pace, feedClockMs) <= clock.nowMs()) return;
    await flush();
    const caughtUp = paceOnceCaughtUp(pace, speed, clock.nowMs());
    if (caughtUp !== pace) {
      pace = caughtUp;
      await deps.onPace(pace);
    }
    deps.onCaughtUp();
    await clock.waitUntil(dueWallMs(pace, feedClockMs), signal);
  }

  return {
    flush,
    pace: () => pace,
    async add(placed) {
      await waitUntilDue(placed.dueFeedClockMs);
      batch.push({ placed, payload: encodeEvent(placed.event) });
      if (batch.length >= batchEntriesMax) await flush();
    },
  };
}

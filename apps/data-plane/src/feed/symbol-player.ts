import { type EventLog, isEventLogError } from '@market-state/event-log';
import { backoffMs, delay, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { encodeEvent, type PlacedEvent } from '@market-state/market-data';
import { type Clock, anchorOf, type Pace, type Speed, dueWallMs, paceOnceCaughtUp } from './clock';
import { beginAfterAbsence, decideStart, ImportRefusal, readLogEnd, type LogEnd } from './decide-start';
import { type FeedState, type FeedStateStore, nextPass, createProgressSaver, type ProgressSaver } from './feed-state';
import { type Fence, type Leases, acquireLogLease } from './leases';
import { createLogKeeper, type KeeperSettings, readMarks, type LogMark } from './log-keeper';
import { createLogWriter, type LogWriter, type OutgoingEntry } from './log-writer';
import { type PassEvents, passEvents, type RecordedSource, type RecordingFacts } from './recordings';
import type { SymbolStatus } from './symbol-status';

const batchEntriesMax = 200;
/** Larger lags count as catching up. */
const lagMsMax = 1_000;

interface PacedAppendDeps {
  readonly writer: LogWriter;
  readonly clock: Clock;
  readonly speed: Speed;
  readonly signal: AbortSignal;
  /** Called after each append; `lagMs` is 0 when unpaced. */
  readonly onAppended: (events: readonly PlacedEvent[], lagMs: number) => void;
  readonly onCaughtUp: () => void;
  readonly onPace: (pace: Pace) => Promise<void>;
}

interface PacedAppend {
  add(placed: PlacedEvent): Promise<void>;
  flush(): Promise<void>;
  pace(): Pace;
}

function createPacedAppend(deps: PacedAppendDeps, startPace: Pace): PacedAppend {
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

export interface PlayerSettings extends KeeperSettings {
  readonly speed: Speed;
  readonly startMs?: number | 'recorded';
  readonly historyMs?: number;
  readonly entriesAheadMax: number;
}

export interface PlayerDeps {
  readonly facts: RecordingFacts;
  readonly source: RecordedSource;
  readonly eventLog: EventLog;
  readonly store: FeedStateStore;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly status: SymbolStatus;
  readonly settings: PlayerSettings;
}

/**
 * Plays while holding the lease: a recording at its own times once, others until the signal aborts. Failures are retried so that the log
 * ends up as if a single feed had written it without failures.
 * @throws {ImportRefusal} if files can't follow the log at their own times
 */
export async function playSymbol(deps: PlayerDeps, signal: AbortSignal): Promise<void> {
  const {
    facts: { instrument },
    logger,
    status,
  } = deps;
  let isLogLost = false;
  let fence: Fence | undefined;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const ordinalBefore = status.snapshot().lastOrdinal;
    try {
      fence ??= await acquireLogLease(deps, instrument.symbol, () => status.standsBy(true), signal);
      const whileLeased = AbortSignal.any([signal, fence.lost]);
      const start = await findStart(deps, isLogLost, whileLeased);
      return await playFrom(deps, start, fence, () => (isLogLost = false), whileLeased);
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof ImportRefusal) {
        status.stopped();
        throw error;
      }
      if (fence?.lost.aborted === true) {
        fence = undefined;
        continue;
      }
      if (status.snapshot().lastOrdinal > ordinalBefore) failures = 0;
      isLogLost ||= isEventLogError(error, 'lost');
      logger.error({ symbol: instrument.symbol, err: error, isLogLost }, 'playing failed; retrying');
      status.stopped();
      await delay(backoffMs(failures, { minMs: 100, maxMs: 10_000 }), signal).catch(() => undefined);
    }
  }
  status.stopped();
}

interface PlayStart {
  readonly state: FeedState;
  readonly pace: Pace;
  readonly isNew: boolean;
  readonly pass: PassEvents;
  readonly lastOrdinal: number;
  readonly lastFeedClockMs: number;
  readonly marks: readonly LogMark[];
}

/** Also regenerates what a resumed pass has already appended. */
async function findStart(deps: PlayerDeps, isLogLost: boolean, signal: AbortSignal): Promise<PlayStart> {
  const { facts, source, eventLog, store, clock, logger, settings, status } = deps;
  const { symbol } = facts.instrument;
  const options = { signal, logger };
  const stored = await waitFor('postgres', () => store.read(symbol), options);
  const logEnd = await waitFor('event_log', () => readLogEnd(eventLog, symbol), options);
  const marks = await waitFor('event_log', () => readMarks(eventLog, symbol), options);
  const startFacts = {
    symbol,
    nowMs: clock.nowMs(),
    speed: settings.speed,
    startMs: settings.startMs,
    historyMs: settings.historyMs,
    recording: facts,
    stored,
    logEnd,
    isLogLost,
  };
  const newPass = ({ state, pace }: { state: FeedState; pace: Pace }): PlayStart => {
    const { lastOrdinal, lastFeedClockMs } = state.progress;
    return { state, pace, isNew: true, pass: passEvents(state, facts, source), lastOrdinal, lastFeedClockMs, marks };
  };

  const start = decideStart(startFacts);
  const { kind, state, pace } = start;
  logger.info({ symbol, start: kind, epoch: state.epoch, pass: state.pass, opening: state.opening, logEnd: logEnd?.id }, 'feed started');
  if (kind === 'begin') return newPass(start);
  const pass = passEvents(state, facts, source);
  if (logEnd === undefined || logEnd.id.ordinal < state.passFirstOrdinal) {
    const { lastFeedClockMs } = state.progress;
    return { state, pace, isNew: false, pass, lastOrdinal: state.passFirstOrdinal - 1, lastFeedClockMs, marks };
  }
  if (await regenerate(pass.events, logEnd, status.regenerated, signal)) {
    return { state, pace, isNew: false, pass, lastOrdinal: logEnd.id.ordinal, lastFeedClockMs: logEnd.feedClockMs, marks };
  }
  logger.error({ symbol, logEnd: logEnd.id }, 'the log differs from the recording; starting a new pass');
  return newPass(beginAfterAbsence(startFacts, state, logEnd));
}

async function playFrom(deps: PlayerDeps, start: PlayStart, fence: Fence, onStored: () => void, signal: AbortSignal): Promise<void> {
  const { facts, source, eventLog, store, clock, logger, settings, status } = deps;
  const { symbol } = facts.instrument;
  const saver = createProgressSaver(store, symbol, { fence: fence.number, logger, signal });
  const keeper = createLogKeeper(eventLog, symbol, settings, start.marks);
  const { lastOrdinal, lastFeedClockMs } = start;
  const writer = createLogWriter(
    {
      symbol,
      epoch: start.state.epoch,
      eventLog,
      fence,
      keeper,
      saver,
      clock,
      logger,
      signal,
      entriesAheadMax: settings.entriesAheadMax,
      onPause: status.paused,
    },
    { lastOrdinal, lastFeedClockMs, safeExchangeTsMs: start.state.progress.safeExchangeTsMs },
  );
  const paced = createPacedAppend(
    {
      writer,
      clock,
      speed: settings.speed,
      signal,
      onAppended: status.appended,
      onCaughtUp: status.caughtUp,
      onPace: (pace) => saver.saveAnchor(anchorOf(pace)),
    },
    start.pace,
  );
  try {
    await keepStart(saver, start);
    onStored();
    let { state, pass } = start;
    for (;;) {
      const { rejections } = pass;
      status.began(state, writer.written().lastOrdinal, rejections);
      for await (const placed of pass.events) await paced.add(placed);
      await paced.flush();
      if (settings.startMs === 'recorded') {
        logger.info({ symbol, pass: state.pass, ...writer.written() }, 'recording imported');
        return status.caughtUp();
      }
      state = nextPass(state, facts.span, writer.written(), anchorOf(paced.pace()));
      await saver.begin(state);
      pass = passEvents(state, facts, source);
    }
  } finally {
    await saver.saveLast(writer.written());
  }
}

async function keepStart(saver: ProgressSaver, { state, pace, isNew }: PlayStart): Promise<void> {
  if (isNew) await saver.begin(state);
  else if (JSON.stringify(anchorOf(pace)) !== JSON.stringify(state.anchor)) await saver.saveAnchor(anchorOf(pace));
}

/**
 * Recomputes events up to the end of the log without appending.
 * @returns true if the last one equals the log's byte for byte
 */
async function regenerate(
  events: AsyncGenerator<PlacedEvent, void, undefined>,
  logEnd: LogEnd,
  onEvent: (placed: PlacedEvent) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted();
    const next = await events.next();
    if (next.done === true) return false;
    onEvent(next.value);
    const { event } = next.value;
    if (event.ordinal < logEnd.id.ordinal) continue;
    const isSame = event.ordinal === logEnd.id.ordinal && Buffer.compare(encodeEvent(event), logEnd.payload) === 0;
    if (!isSame) await events.return();
    return isSame;
  }
}

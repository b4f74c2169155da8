import { ClockOffsets } from '../clock-offsets';
import { writeConnected, type Normalizer, FeedClock } from '../normalizer';
import type { MarketEvent } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { type LogPosition, LogWriter, type PlacedEvent } from '../log-writer';
import { RecordingError, type RecordingNotes, type RecordingTally } from './recording-notes';
import { type PassPosition, PassPlayer } from '../pass-player';
import type { RejectionCounts } from '../rejections';

export interface PlayedPass {
  readonly events: AsyncGenerator<readonly PlacedEvent[]>;
  readonly rejections: () => Readonly<RejectionCounts>;
}

export function playPass<Message>(
  batches: AsyncIterable<Batch<Message>>,
  place: PassPosition,
  normalizerOf: NormalizerOf<Message>,
): PlayedPass {
  const player = new PassPlayer(place, normalizerOf);

  async function* play(): AsyncGenerator<readonly PlacedEvent[]> {
    yield player.start();
    for await (const batch of batches) {
      const events: PlacedEvent[] = [];
      for (const received of batch) {
        if (received === undefined) player.refuse('broken_line');
        else if (!isBelievable(received.receivedMs, player.clockMs)) player.refuse('future_time');
        else for (const event of player.accept(received.receivedMs, received.message)) events.push(event);
      }
      yield events;
    }
    yield player.finish();
  }

  return { events: play(), rejections: () => player.rejections };
}

export interface Received<Message> {
  readonly receivedMs: number;
  readonly message: Message;
}

/** In receive order; undefined marks a line without a receive time. */
export type Batch<Message> = readonly (Received<Message> | undefined)[];

/** Larger jumps are rejected: each would be filled with a tick every 250 ms. */
const JUMP_MS_MAX = 86_400_000;

export function isBelievable(receivedMs: number, beforeMs: number | undefined): boolean {
  return beforeMs === undefined || receivedMs - beforeMs <= JUMP_MS_MAX;
}

/** Tolerance for interleaved connections; beyond it the receive clock was set back. */
const BACKWARD_MS_MAX = 1_000;

/** The feed clock waits until the receive clock catches up. */
class BackwardLines {
  private furthestMs = 0;

  constructor(private readonly notes: RecordingNotes) {}

  note(receivedMs: number, clockMs: number): void {
    const behindMs = clockMs - receivedMs;
    if (behindMs <= BACKWARD_MS_MAX) return;
    this.furthestMs = Math.max(this.furthestMs, behindMs);
    this.notes.add('backward', new Date(receivedMs).toISOString(), (total, first) => {
      const lines = total === 1 ? 'one line was' : `${total} lines were`;
      const seconds = (this.furthestMs / 1_000).toFixed(1);
      return (
        `${lines} received up to ${seconds} s before an earlier line, by receive time (first at ${first}): the clock pauses there, and ` +
        'data for closed windows is dropped; sort the lines by receive time, or split the recording where its clock was set back'
      );
    });
  }
}

export type NormalizerOf<Message> = (place: LogPosition, log: LogWriter) => Normalizer<Message>;

export interface MessageKind<Message> {
  readonly normalizerOf: NormalizerOf<Message>;
  exchangeTimesOf(message: Message): readonly number[];
}

/**
 * Plays a recording once, unshifted, as pass 1 of epoch 1. Lines without a receive time, or more than a day ahead, are
 * counted and otherwise ignored.
 */
export function playMessages<Message>(
  batches: AsyncIterable<Batch<Message>>,
  instrument: PlayedInstrument,
  kind: MessageKind<Message>,
  notes: RecordingNotes,
): { events: AsyncGenerator<readonly MarketEvent[]>; tally: RecordingTally } {
  const place: LogPosition = { instrument, pass: 1, epoch: 1, firstOrdinal: 1 };
  const log = new LogWriter(place, false);
  const normalizer = kind.normalizerOf(place, log);
  const tally: RecordingTally = { lines: 0, rejections: normalizer.rejections, notes };

  async function* play(): AsyncGenerator<readonly MarketEvent[]> {
    let clock: FeedClock | undefined;
    const backward = new BackwardLines(notes);
    const clocks = new ClockOffsets();
    for await (const batch of batches) {
      for (const received of batch) {
        tally.lines++;
        if (received === undefined) {
          normalizer.rejections.broken_line++;
          continue;
        }
        if (clock !== undefined && !isBelievable(received.receivedMs, log.clockMs)) {
          normalizer.rejections.future_time++;
          continue;
        }
        clock ??= start(received.receivedMs);
        backward.note(received.receivedMs, log.clockMs);
        clocks.add(received.receivedMs, kind.exchangeTimesOf(received.message));
        clock.advanceTo(received.receivedMs);
        normalizer.accept(received.message);
      }
      yield takeEvents(log);
    }
    if (clock === undefined) throw new RecordingError(`no message of ${instrument.venueInstrument} has a receive time`);
    normalizer.finish();
    const offsets = clocks.sentence();
    if (offsets !== undefined) notes.add('clocks', '', () => offsets);
    yield takeEvents(log);
  }

  function start(receivedMs: number): FeedClock {
    const clock = new FeedClock(log, normalizer, receivedMs);
    writeConnected(place, log);
    return clock;
  }

  return { events: play(), tally };
}

function takeEvents(log: LogWriter): readonly MarketEvent[] {
  return log.take().map(({ event }) => event);
}

import { ConfigError } from '@market-state/config';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { FeedConfig } from '../config';
import { recordingFacts, type RecordingFacts, openRecordingFiles } from './recording-files';
import {
  gapIdOf,
  nextShift,
  noRejections,
  type OpenRecording,
  outageEvent,
  type PlacedEvent,
  type RejectionCounts,
} from '@market-state/market-data';
import type { FeedState } from './feed-state';

/** Opens a recording, to be read once. */
export type RecordedSource = () => Promise<OpenRecording>;

/** A pass under way: its events in log order, computed as they are read. */
export interface PassEvents {
  readonly events: AsyncGenerator<PlacedEvent, void, undefined>;
  /** Counts of what was rejected up to where `events` was read. */
  readonly rejections: () => Readonly<RejectionCounts>;
}

/**
 * Everything that a pass appends: the gap that it begins behind, if any, then the recording's pass. A pure function of the
 * state's place (epoch, pass, shift, first ordinal, opening), the instrument and the files.
 */
export function passEvents(state: FeedState, facts: RecordingFacts, source: RecordedSource): PassEvents {
  const outage = outageOf(state, facts);
  let rejections: () => Readonly<RejectionCounts> = noRejections;

  async function* play(): AsyncGenerator<PlacedEvent, void, undefined> {
    yield* outage;
    const recording = await source();
    const pass = recording.pass({
      pass: state.pass,
      epoch: state.epoch,
      firstOrdinal: state.passFirstOrdinal + outage.length,
      span: facts.span,
      shiftMs: state.shiftMs,
      previousLastExchangeMs: state.opening === 'seam' ? state.openingStartMs : undefined,
      endFeedClockMs: facts.span.firstReceivedMs + nextShift(facts.span, state.shiftMs),
    });
    rejections = pass.rejections;
    for await (const batch of pass.events) yield* batch;
  }

  return { events: play(), rejections: () => rejections() };
}

function outageOf({ opening, ...state }: FeedState, { span, instrument }: RecordingFacts): PlacedEvent[] {
  if (opening === 'first' || opening === 'seam') return [];
  const { epoch, pass, openingStartMs: startMs, passFirstOrdinal: firstOrdinal, shiftMs } = state;
  const feedClockMs = span.firstReceivedMs + shiftMs;
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: opening, startMs, lastVenueId: '' });
  const endMs = Math.max(startMs, span.firstExchangeMs + shiftMs);
  const event = outageEvent({ instrument, pass, epoch, firstOrdinal }, { gapId, reason: opening, startMs, endMs, feedClockMs });
  return [{ dueFeedClockMs: feedClockMs, event }];
}

/** Recordings whose facts are found, or whose first lines are looked at, at the same time: one is unpacked while another is parsed. */
const openedAtOnce = 2;

/** A recording that is played: its facts, and how it is opened anew for each pass. */
export interface PlayedRecording {
  readonly facts: RecordingFacts;
  readonly source: RecordedSource;
}

/**
 * The recordings that are played.
 * @throws {ConfigError} naming every one that can't be read or holds no message of its symbol
 */
export async function readRecordings({ recordings, rows }: Pick<FeedConfig, 'recordings' | 'rows'>): Promise<PlayedRecording[]> {
  const limit = createConcurrencyLimit(openedAtOnce);
  const read = await Promise.allSettled(
    Object.entries(recordings).map(async ([symbol, files]) => ({
      facts: await limit(() => recordingFacts(symbol, files, rows)),
      source: () => limit(() => openRecordingFiles(symbol, files, rows, 'over time')),
    })),
  );
  const failures = read.filter((each) => each.status === 'rejected').map(({ reason }) => reason as Error);
  if (failures.length > 0) throw new ConfigError(failures.map(({ message }) => ({ variable: 'FEED_FILE', message })));
  return read.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
}

import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { ConfigError } from '@market-state/config';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import {
  type DescribedInstrument,
  type InstrumentRow,
  openRecording,
  type OpenRecording,
  recordingLineBatches,
  type PlayedInstrument,
  type RecordingSpan,
  gapIdOf,
  nextShift,
  noRejections,
  readMarket,
  outageEvent,
  type PlacedEvent,
  type RejectionCounts,
} from '@market-state/market-data';
import { type ColumnNames, isParquet, parquetLines, recordedBytes } from '@market-state/recorded-files';
import type { FeedConfig } from '../config';
import type { FeedState } from './feed-state';

export type RecordedSource = () => Promise<OpenRecording>;

export interface PassEvents {
  readonly events: AsyncGenerator<PlacedEvent, void, undefined>;
  readonly rejections: () => Readonly<RejectionCounts>;
}

/** All entries of a pass, including the gap before it. Pure function of the state, instrument and files. */
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
    const market = facts.instrument.symbol;
    const isPrimary = recording.instrument.symbol === market;
    for await (const batch of pass.events)
      yield* isPrimary ? batch : batch.map((placed) => ({ ...placed, event: { ...placed.event, symbol: market } }));
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

/** One is unpacked while another is parsed. */
const openedAtOnce = 2;

export interface PlayedRecording {
  readonly facts: RecordingFacts;
  readonly source: RecordedSource;
}

/** @throws {ConfigError} listing every recording that is unreadable or lacks its symbol */
export async function readRecordings({ recordings, rows }: Pick<FeedConfig, 'recordings' | 'rows'>): Promise<PlayedRecording[]> {
  const limit = createConcurrencyLimit(openedAtOnce);
  const read = await Promise.allSettled(
    Object.entries(recordings).map(async ([market, files]) => {
      const { symbol } = readMarket(market);
      const facts = await limit(() => recordingFacts({ symbol, files, rows }));
      return {
        facts: { ...facts, instrument: { ...facts.instrument, symbol: market } },
        source: () => limit(() => openRecordingFiles({ symbol, files, rows }, 'over time')),
      };
    }),
  );
  const failures = read.filter((each) => each.status === 'rejected').map(({ reason }) => reason as Error);
  if (failures.length > 0) throw new ConfigError(failures.map(({ message }) => ({ variable: 'FEED_FILE', message })));
  return read.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
}

export interface RecordedFiles {
  readonly symbol: string;
  readonly files: readonly string[];
  readonly rows: readonly InstrumentRow[];
  /** If neither the files nor the rows describe it. */
  readonly instrument?: DescribedInstrument;
  /** Names for the columns of Parquet files. */
  readonly columns?: ColumnNames;
}

/** Reads all files. @throws Error naming the file that is unreadable or lacks the symbol */
export async function readArchive(archive: RecordedFiles): Promise<PlayedRecording> {
  return { facts: await discover(archive), source: () => openRecordingFiles(archive, 'over time') };
}

export interface RecordingFacts {
  readonly digest: string;
  readonly span: RecordingSpan;
  readonly instrument: PlayedInstrument;
}

/** Cached for the life of the process: computing facts reads all files. */
const known = new Map<string, Promise<RecordingFacts>>();

function recordingFacts(recording: RecordedFiles): Promise<RecordingFacts> {
  const key = JSON.stringify(recording);
  const facts = known.get(key) ?? discover(recording);
  known.set(key, facts);
  facts.catch(() => known.delete(key));
  return facts;
}

async function discover(recorded: RecordedFiles): Promise<RecordingFacts> {
  const { files, instrument, columns } = recorded;
  const recording = await openRecordingFiles(recorded, 'at once');
  const span = await recording.span();
  const digest = createHash('sha256');
  for (const file of files) digest.update(await digestOf(file));
  if (instrument !== undefined || columns !== undefined) digest.update(JSON.stringify([instrument, columns]));
  return { digest: digest.digest('hex'), span, instrument: recording.instrument };
}

async function digestOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest();
}

type Reading = 'at once' | 'over time';

async function openRecordingFiles({ symbol, files, rows, instrument, columns }: RecordedFiles, reading: Reading): Promise<OpenRecording> {
  const isRepeatable = reading === 'over time';
  try {
    return await openRecording(
      files.map((path) => ({ name: path, lines: { [Symbol.asyncIterator]: () => readLines(path, columns) }, isRepeatable })),
      { symbol, rows, instrument },
    );
  } catch (error) {
    throw new Error(`${files.join(', ')}: ${messageOf(error)}`, { cause: error });
  }
}

/** Lazy; plain, packed or Parquet. @throws Error naming the file */
export async function* readLines(path: string, columns?: ColumnNames): AsyncGenerator<readonly string[]> {
  try {
    if (await isParquet(path)) yield* parquetLines(path, columns);
    else yield* recordingLineBatches(recordedBytes(path));
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

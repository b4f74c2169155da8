import { ConfigError } from '@market-state/config';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { FeedConfig } from '../config';
import { recordingFacts, type RecordingFacts } from './recording-facts';
import { openRecordingFiles } from './recording-files';
import type { RecordedSource } from './pass-events';

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

import type { RejectionCounts } from '../rejections';
import type { RecordingNotes } from './recording-notes';

/** What was read so far; grows as the events are read. */
export interface RecordingTally {
  /** Lines that are not empty, of the files that are played. */
  lines: number;
  /** Input that was not taken, by reason. */
  rejections: Readonly<RejectionCounts>;
  readonly notes: RecordingNotes;
}

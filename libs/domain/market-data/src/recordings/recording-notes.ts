import type { RejectionCounts } from '../rejections';

/** What was read so far; grows as the events are read. */
export interface RecordingTally {
  /** Lines that are not empty, of the files that are played. */
  lines: number;
  /** Input that was not taken, by reason. */
  rejections: Readonly<RejectionCounts>;
  readonly notes: RecordingNotes;
}

/** Makes the sentence of what was found `total` times, for the first time at `first`. */
type NoteSentence = (total: number, first: string) => string;

/**
 * What a reader of a recording must be told of it, though it can be read: each kind of thing once, as a sentence, with how often it was
 * found and where first.
 */
export class RecordingNotes {
  private readonly found = new Map<string, { total: number; readonly first: string; sentence: NoteSentence }>();

  /**
   * @param kind tells the things apart
   * @param first where it was found: `file:line`
   */
  add(kind: string, first: string, sentence: NoteSentence): void {
    const known = this.found.get(kind);
    if (known === undefined) this.found.set(kind, { total: 1, first, sentence });
    else {
      known.total++;
      known.sentence = sentence;
    }
  }

  /** The sentences so far, without a full stop, in the order in which the first of each was found. */
  list(): readonly string[] {
    return [...this.found.values()].map(({ total, first, sentence }) => sentence(total, first));
  }
}

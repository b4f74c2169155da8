import type { RejectionCounts } from '../rejections';

/** Grows as events are read. */
export interface RecordingTally {
  /** Non-empty lines of the played files. */
  lines: number;
  rejections: Readonly<RejectionCounts>;
  readonly notes: RecordingNotes;
}

type NoteSentence = (total: number, first: string) => string;

/** Warnings about a readable recording: one sentence per kind, with count and first location. */
export class RecordingNotes {
  private readonly found = new Map<string, { total: number; readonly first: string; sentence: NoteSentence }>();

  /**
   * @param kind deduplicates notes
   * @param first location as `file:line`
   */
  add(kind: string, first: string, sentence: NoteSentence): void {
    const known = this.found.get(kind);
    if (known === undefined) this.found.set(kind, { total: 1, first, sentence });
    else {
      known.total++;
      known.sentence = sentence;
    }
  }

  list(): readonly string[] {
    return [...this.found.values()].map(({ total, first, sentence }) => sentence(total, first));
  }
}

import type { RejectionCounts } from '../rejections';

/** The message names file, line and cause. */
export class RecordingError extends Error {
  override readonly name: string = 'RecordingError';
}

export class UnknownFormatError extends RecordingError {
  override readonly name = 'UnknownFormatError';
}

export class SeveralSymbolsError extends RecordingError {
  override readonly name = 'SeveralSymbolsError';

  constructor(readonly symbols: readonly string[]) {
    super(`the recording contains several symbols; choose one: ${symbols.join(', ')}`);
  }
}

/** Grows as events are read. */
export interface RecordingTally {
  /** Non-empty lines of the played files. */
  lines: number;
  rejections: Readonly<RejectionCounts>;
  readonly notes: RecordingNotes;
}

type NoteSentence = (total: number, first: string) => string;

/** One sentence per kind, with count and first location. */
export class RecordingNotes {
  private readonly found = new Map<string, { total: number; readonly first: string; sentence: NoteSentence }>();
  private readonly named = new Map<string, number>();

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

  /** Lists the first `max` sentences of a kind, then how many more there were. */
  addNamed(kind: string, max: number, sentence: string, more: (total: number) => string): void {
    const named = this.named.get(kind) ?? 0;
    this.named.set(kind, named + 1);
    if (named < max) this.add(`${kind} ${named}`, '', () => sentence);
    else this.add(kind, '', more);
  }

  list(): readonly string[] {
    return [...this.found.values()].map(({ total, first, sentence }) => sentence(total, first));
  }
}

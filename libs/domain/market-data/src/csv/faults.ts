import { RecordingError } from '../recordings/recording-errors';

/** Faults that are named; more are counted. */
const NAMED_MAX = 20;

/** What is wrong with the files of a recording. */
export class CsvFaults {
  private readonly named: string[] = [];
  private total = 0;

  add(place: string, sentence: string): void {
    this.total++;
    if (this.named.length < NAMED_MAX) this.named.push(`${place}: ${sentence}`);
  }

  /** @throws RecordingError naming them, if there are any */
  refuse(): void {
    const { named, total } = this;
    if (total === 0) return;
    if (total === 1) throw new RecordingError(named.join());
    const more = total > named.length ? [`… and ${total - named.length} more`] : [];
    throw new RecordingError(`${total} faults in CSV files:\n${[...named, ...more].map((each) => `  ${each}`).join('\n')}`);
  }

  get isEmpty(): boolean {
    return this.total === 0;
  }
}

/** What a suite found. */
export interface SuiteResult {
  /** Each a sentence naming what broke; none means passed. */
  readonly failures: readonly string[];
  /** Each a sentence naming what came too late, or was not seen in time. Fails the suite too, but depends on what else the machine does. */
  readonly timing: readonly string[];
  readonly figures: readonly (readonly [name: string, figure: string | number])[];
}

/** Collects what is found, in order. */
export class Report implements SuiteResult {
  readonly failures: string[] = [];
  readonly timing: string[] = [];
  readonly figures: (readonly [name: string, figure: string | number])[] = [];

  /** The sentence is a failure unless the promise holds. */
  check(holds: boolean, failure: string): void {
    if (!holds) this.failures.push(failure);
  }

  /** As `check`, for what depends on what else the machine does. */
  checkTime(holds: boolean, failure: string): void {
    if (!holds) this.timing.push(failure);
  }

  /** Each sentence is a failure. */
  fail(...failures: readonly string[]): void {
    this.failures.push(...failures);
  }

  figure(name: string, figure: string | number): void {
    this.figures.push([name, figure]);
  }

  /** Adds what a part of the suite found. */
  add({ failures, timing, figures }: SuiteResult): void {
    this.failures.push(...failures);
    this.timing.push(...timing);
    this.figures.push(...figures);
  }
}

/** The first sentences, and how many more there are. */
export function firstOf(sentences: readonly string[], shownMax: number): string[] {
  const more = sentences.length - shownMax;
  return more > 0 ? [...sentences.slice(0, shownMax), `${more} more like these.`] : [...sentences];
}

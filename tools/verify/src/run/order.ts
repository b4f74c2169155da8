import type { SuiteResult, SuiteSettings } from '../harness';

/** What a suite's process is told to run. */
export interface SuiteOrder {
  readonly id: string;
  readonly settings: Omit<SuiteSettings, 'say'>;
  /** How often it runs at most while nothing but its times is at fault, each time with the next seed. */
  readonly triesMax: number;
}

/** What it found, with the seed that it ended with. */
export interface SuiteOutcome extends SuiteResult {
  readonly seed: number;
}

import type { Closer } from '@market-state/lifecycle';
import type { Report } from './report';

/** One long suite of a promise that is too slow for every change. */
export interface Suite {
  /** What stands after `npm run verify --`. */
  readonly id: string;
  /** The promise, in one sentence. */
  readonly claim: string;
  /** The budget of the long form, and what it counts. */
  readonly budget: { readonly default: number; readonly counts: string };
  /** Sets the scene, makes the faults, and reports what it found. */
  run(context: SuiteContext): Promise<void>;
}

/** What whoever runs a suite chooses. */
export interface SuiteSettings {
  /** Every random choice comes from this. */
  readonly seed: number;
  /** How many random events of its kind the suite makes. */
  readonly budget: number;
  /** Messages of each run, for suites that play messages; absent: as many as the long form plays. */
  readonly messages?: number;
  /** Rules and symbols, for suites that have rules; absent: as many as the form has. */
  readonly rules?: number | undefined;
  readonly symbols?: number | undefined;
  /** How long the load lasts, for suites that have one; absent: as long as the suite says. */
  readonly minutes?: number | undefined;
  /** The part to run alone, for suites that have parts; absent: all of them. */
  readonly only?: string;
  /** For a suite that has a small form: whether it is that. */
  readonly isSmall?: boolean;
  /** For a suite that begins with another release: a commit of it; absent: the last release. */
  readonly from?: string | undefined;
  /** Takes one line of progress. */
  readonly say: (line: string) => void;
}

export interface SuiteContext extends SuiteSettings {
  /** The random numbers of the seed, 0 <= x < 1. */
  readonly random: () => number;
  /** Closes what the suite opens when it ends, the last first. */
  readonly closer: Closer;
  readonly report: Report;
}

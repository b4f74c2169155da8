import type { Closer } from '@market-state/lifecycle';
import type { Need } from './needs';
import type { Report } from './report';

/** One promise that is verified at length: too slow, or too dependent on time, for every change. */
export interface Suite {
  /** What stands after `npm run verify --`. */
  readonly id: string;
  /** The promise, in one sentence. */
  readonly claim: string;
  /** The budget of the long form, and what it counts. */
  readonly budget: { readonly default: number; readonly counts: string };
  /** What `--short` uses in place of the long form's settings. */
  readonly short: FormSettings;
  /** What the machine must have, besides what every command installs. */
  readonly needs?: readonly Need[];
  /** Sets the scene, makes the faults, and reports what it found. */
  run(context: SuiteContext): Promise<void>;
}

/** Settings of a suite's form. */
export interface FormSettings extends Partial<Omit<SuiteSettings, 'isShort' | 'say'>> {
  readonly seed: number;
  readonly budget: number;
  /** Whether anything that came too late fails it, as in long forms; by default it is only reported. */
  readonly inTime?: boolean;
  /** How often it runs at most while nothing but its times is at fault, each time with the next seed; by default once. */
  readonly triesMax?: number;
}

/** What whoever runs a suite chooses. */
export interface SuiteSettings {
  /** Every random choice comes from this. */
  readonly seed: number;
  /** How many random events of its kind the suite makes. */
  readonly budget: number;
  /** Whether the scene is that of the short form. */
  readonly isShort: boolean;
  /** Messages of each run, for suites that play messages; absent: as many as the form plays. */
  readonly messages?: number | undefined;
  /** Rules and symbols, for suites that have rules; absent: as many as the form has. */
  readonly rules?: number | undefined;
  readonly symbols?: number | undefined;
  /** How long the load lasts, for suites that have one; absent: as long as the suite says. */
  readonly minutes?: number | undefined;
  /** The only part to run, for suites that have parts; absent: all of them. */
  readonly only?: string | undefined;
  /** For a suite that has a small scene: whether to use it. */
  readonly isSmall?: boolean | undefined;
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

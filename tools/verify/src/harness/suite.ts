import { existsSync } from 'node:fs';
import { onPath } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { createRandom, withCloser, canInstallPackages, findChromium, findPython } from '@market-state/testing';

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

/** Why this machine can't run a suite; undefined when it can. */
export type Need = () => string | undefined;

export const needsChromium: Need = () => (findChromium() === null ? 'no Chromium' : undefined);

export const needsRoot: Need = () => (process.getuid?.() === 0 ? undefined : 'not root');

/** A program that is there or, as root on Debian, is installed when it is first used. */
export function needsProgram(program: string, debianPackage: string): Need {
  return () => (onPath(program) === undefined && !canInstallPackages() ? `no ${program} (Debian: ${debianPackage})` : undefined);
}

export function needsPython(...modules: readonly string[]): Need {
  return () => (findPython(modules) === null ? `no Python with ${modules.join(', ')}` : undefined);
}

/** Recordings that can't be in the repository. */
export const needsRecordings: Need = () => {
  const folder = process.env['RECORDINGS_DIR'] ?? '';
  return folder === '' || !existsSync(folder) ? 'RECORDINGS_DIR names no folder' : undefined;
};

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

/** Runs a suite, or a part of one, and closes what it opened, however it ends. @throws what kept it from a result */
export function runSuite({ run }: Pick<Suite, 'run'>, settings: SuiteSettings): Promise<SuiteResult> {
  return withCloser(async (closer) => {
    const report = new Report();
    await run({ ...settings, random: createRandom(settings.seed), closer, report });
    return report;
  });
}

/**
 * The result of the first run with nothing too late, or with anything else at fault; else of the last of so many. On a machine that has
 * other work a pause may be that of the machine; a pause of the product's own comes every time.
 * @param run gets the number of the try, from 0
 */
export async function untilInTime<T extends SuiteResult>(triesMax: number, run: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await run(attempt);
    if (result.timing.length === 0 || result.failures.length > 0 || attempt + 1 >= triesMax) return result;
  }
}

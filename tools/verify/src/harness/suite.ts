import { existsSync } from 'node:fs';
import { onPath } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { createRandom, withCloser, canInstallPackages, findChromium, findPython } from '@market-state/testing';

/** A verification suite: checks one guarantee at length, too slow or too time-dependent to run on every change. */
export interface Suite {
  readonly id: string;
  readonly claim: string;
  readonly budget: { readonly default: number; readonly counts: string };
  readonly short: FormSettings;
  /** Requirements beyond what every command installs. */
  readonly needs?: readonly Need[];
  run(context: SuiteContext): Promise<void>;
}

export interface FormSettings extends Partial<Omit<SuiteSettings, 'isShort' | 'say'>> {
  readonly seed: number;
  readonly budget: number;
  /** If true, late results fail the suite, as in long forms; by default they are only reported. */
  readonly inTime?: boolean;
  /** Maximum tries while only timing checks fail, each with the next seed. Default 1. */
  readonly triesMax?: number;
}

export interface SuiteSettings {
  readonly seed: number;
  readonly budget: number;
  readonly isShort: boolean;
  /** Messages per run; default: the form's number. */
  readonly messages?: number | undefined;
  /** Numbers of rules and symbols; default: the form's. */
  readonly rules?: number | undefined;
  readonly symbols?: number | undefined;
  /** Duration of the load; default: the suite's. */
  readonly minutes?: number | undefined;
  readonly only?: string | undefined;
  /** Selects the small scene, if the suite has one. */
  readonly isSmall?: boolean | undefined;
  /** Commit of the release to start from; default: the last release. */
  readonly from?: string | undefined;
  readonly say: (line: string) => void;
}

export interface SuiteContext extends SuiteSettings {
  /** Random numbers from the seed, 0 <= x < 1. */
  readonly random: () => number;
  readonly closer: Closer;
  readonly report: Report;
}

/** Returns why this machine can't run a suite, or undefined if it can. */
export type Need = () => string | undefined;

export const needsChromium: Need = () => (findChromium() === null ? 'no Chromium' : undefined);

export const needsRoot: Need = () => (process.getuid?.() === 0 ? undefined : 'not root');

/** Accepts a program that is present or, as root on Debian, can be installed on first use. */
export function needsProgram(program: string, debianPackage: string): Need {
  return () => (onPath(program) === undefined && !canInstallPackages() ? `no ${program} (Debian: ${debianPackage})` : undefined);
}

export function needsPython(...modules: readonly string[]): Need {
  return () => (findPython(modules) === null ? `no Python with ${modules.join(', ')}` : undefined);
}

/** Recordings that can't be in the repository. */
export const needsRecordings: Need = () => {
  const folder = process.env['RECORDINGS_DIR'] ?? '';
  return folder === '' || !existsSync(folder) ? 'RECORDINGS_DIR is not a folder' : undefined;
};

export interface SuiteResult {
  readonly failures: readonly string[];
  /**
   * Descriptions of results that were late or not seen in time. They fail the suite too, but depend on the machine's
   * load.
   */
  readonly timing: readonly string[];
  readonly figures: readonly (readonly [name: string, figure: string | number])[];
}

export class Report implements SuiteResult {
  readonly failures: string[] = [];
  readonly timing: string[] = [];
  readonly figures: (readonly [name: string, figure: string | number])[] = [];

  check(holds: boolean, failure: string): void {
    if (!holds) this.failures.push(failure);
  }

  /** Like `check`, for results that depend on the machine's load. */
  checkTime(holds: boolean, failure: string): void {
    if (!holds) this.timing.push(failure);
  }

  fail(...failures: readonly string[]): void {
    this.failures.push(...failures);
  }

  figure(name: string, figure: string | number): void {
    this.figures.push([name, figure]);
  }

  add({ failures, timing, figures }: SuiteResult): void {
    this.failures.push(...failures);
    this.timing.push(...timing);
    this.figures.push(...figures);
  }
}

export function firstOf(sentences: readonly string[], shownMax: number): string[] {
  const more = sentences.length - shownMax;
  return more > 0 ? [...sentences.slice(0, shownMax), `${more} more like these.`] : [...sentences];
}

/** Runs a suite or part of one and closes what it opened. @throws the error that prevented a result */
export function runSuite({ run }: Pick<Suite, 'run'>, settings: SuiteSettings): Promise<SuiteResult> {
  return withCloser(async (closer) => {
    const report = new Report();
    await run({ ...settings, random: createRandom(settings.seed), closer, report });
    return report;
  });
}

/**
 * Returns the first result without late checks or with other failures, else the last. On a busy machine a pause may
 * come from elsewhere; one caused by the product recurs on every try.
 * @param run receives the number of the try, from 0
 */
export async function untilInTime<T extends SuiteResult>(triesMax: number, run: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await run(attempt);
    if (result.timing.length === 0 || result.failures.length > 0 || attempt + 1 >= triesMax) return result;
  }
}

import { createRandom, withCloser } from '@market-state/testing';
import { Report, type SuiteResult } from './report';
import type { Suite, SuiteSettings } from './suite';

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

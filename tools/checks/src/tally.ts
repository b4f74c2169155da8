/** How many checks there were, by outcome. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The sum of some tallies. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of tallies) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}

/** `N passed, N failed`, with `, N skipped` when there are any. */
export function lineOf({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

/** The part of Jest's JSON report that counts. */
export interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Test files that could not be run at all. */
  numRuntimeErrorTestSuites: number;
}

/** Jest's counts; a file that could not be run counts as one failure, a test to be written as skipped. */
export function tallyOfJest(report: JestReport): Tally {
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

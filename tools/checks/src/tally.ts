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

/** The part of the test runner's JSON report that counts. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** The report's counts; a file that failed with none of its tests, as one that cannot be loaded does, is a failure of its own. */
export function tallyOfReport({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }: TestReport): Tally {
  const failedFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + failedFiles.length, skipped: numPendingTests + numTodoTests };
}

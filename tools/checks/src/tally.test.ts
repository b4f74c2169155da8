import { lineOf, sumOf, tallyOfReport } from './tally';

test('the last line counts every check, and skipped ones only when there are any', () => {
  const steps = { passed: 7, failed: 1, skipped: 0 };
  expect(lineOf(sumOf([steps, { passed: 100, failed: 0, skipped: 0 }]))).toBe('107 passed, 1 failed');
  expect(lineOf(sumOf([steps, { passed: 0, failed: 0, skipped: 2 }]))).toBe('7 passed, 1 failed, 2 skipped');
});

test('a test file that fails with none of its tests is a failure', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'skipped' }] },
  ];
  const report = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 1, numTodoTests: 1, testResults };
  expect(tallyOfReport(report)).toEqual({ passed: 3, failed: 3, skipped: 2 });
});

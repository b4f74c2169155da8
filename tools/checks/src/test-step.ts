import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run-command';
import { tallyOfReport } from './tally';
import type { Tally, TestReport } from './tally';

/** Runs every test. A run without a report, or without a test, is a failure, and so is one that ends with an error outside of its tests. */
export async function runTests(): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-tests-'));
  const file = join(folder, 'report.json');
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { passed } = await runCommand('vitest', args, { show: true });
    if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
    const tally = tallyOfReport(JSON.parse(readFileSync(file, 'utf8')) as TestReport);
    const nothingRan = tally.passed === 0 && tally.failed === 0;
    return nothingRan || (!passed && tally.failed === 0) ? { ...tally, failed: tally.failed + 1 } : tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

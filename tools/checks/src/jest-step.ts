import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run-command';
import { tallyOfJest } from './tally';
import type { JestReport, Tally } from './tally';

/** Runs every test. A run without a report, or without a test, is a failure. */
export async function runTests(): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-tests-'));
  const file = join(folder, 'report.json');
  try {
    const args = ['-c', 'tools/jest/jest.config.cjs', '--ci', '--json', `--outputFile=${file}`];
    const { passed } = await runCommand('jest', [...args, '--reporters=default'], { show: true });
    if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
    const tally = tallyOfJest(JSON.parse(readFileSync(file, 'utf8')) as JestReport);
    const nothingRan = tally.passed === 0 && tally.failed === 0;
    return nothingRan || (!passed && tally.failed === 0) ? { ...tally, failed: tally.failed + 1 } : tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

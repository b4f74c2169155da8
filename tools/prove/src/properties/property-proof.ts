import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import type { Proof } from '../proof';

/** Tests whose number of cases is the budget. */
const TESTS = [
  'libs/domain/labeler/tests/properties',
  'libs/domain/labeler/tests/any-policy',
  'libs/domain/labeler/src/verify/rederive',
  'libs/domain/scenarios/tests/log-laws',
  'libs/platform/grpc/src/breaker',
];

/** Runs the properties of the labeler and of the breaker, each over so many random cases. */
export const propertyProof: Proof = {
  id: 'properties',
  claim: 'packets are symmetric, reproducible, bounded and the same when labeling goes on, whatever the market does',
  budget: { default: 1_000, counts: 'cases of each property' },
  async run({ budget, say }) {
    const { code, lines } = await runJest(budget, say);
    const failures = lines.filter((line) => line.startsWith('  ●'));
    return {
      failures: code === 0 ? [] : failures.length > 0 ? [...new Set(failures)] : ['The tests of properties ended with a failure.'],
      timing: [],
      figures: [['tests', lines.find((line) => line.startsWith('Tests:')) ?? 'none']],
    };
  },
};

function runJest(cases: number, say: (line: string) => void): Promise<{ readonly code: number; readonly lines: string[] }> {
  const root = workspaceRoot();
  const args = [join(root, 'node_modules/jest/bin/jest.js'), '-c', 'tools/jest/jest.config.cjs', ...TESTS];
  const jest = spawn(process.execPath, args, { cwd: root, env: { ...process.env, PROPERTY_RUNS: String(cases) } });
  const lines: string[] = [];
  for (const stream of [jest.stdout, jest.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) {
        lines.push(line);
        if (/^(?:PASS|FAIL) /.test(line)) say(line);
      }
    });
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('close', (code) => resolve({ code: code ?? 1, lines }));
  });
}

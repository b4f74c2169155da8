import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import type { Suite } from '../harness';

/** Tests whose number of cases is the budget. */
const TESTS = [
  'libs/domain/labeler/tests/properties',
  'libs/domain/labeler/tests/any-policy',
  'libs/domain/labeler/src/verify/rederive',
  'libs/domain/scenarios/tests/log-laws',
  'libs/platform/grpc/src/breaker',
  'libs/platform/event-log/src/tail',
  'libs/platform/event-log/tests/losses',
];

/** Runs the properties of the labeler, of the breaker and of the event log's tail, each over so many random cases. */
export const propertySuite: Suite = {
  id: 'properties',
  claim:
    'packets are symmetric, reproducible, bounded and the same when labeling goes on, whatever the market does, and a log is whole again ' +
    'whatever its store loses behind what the feed remembers',
  budget: { default: 1_000, counts: 'cases of each property' },
  async run({ report, budget, say }) {
    const { code, lines } = await runVitest(budget, say);
    const failed = new Set(lines.filter((line) => /^ *FAIL /.test(line)));
    if (code !== 0) report.fail(...(failed.size > 0 ? failed : ['The tests of properties ended with a failure.']));
    report.figure('tests', lines.find((line) => /^ *Tests /.test(line)) ?? 'none');
  },
};

function runVitest(cases: number, say: (line: string) => void): Promise<{ readonly code: number; readonly lines: string[] }> {
  const root = workspaceRoot();
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...TESTS];
  const vitest = spawn(process.execPath, args, { cwd: root, env: { ...process.env, PROPERTY_RUNS: String(cases), NO_COLOR: '1' } });
  const lines: string[] = [];
  for (const stream of [vitest.stdout, vitest.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) {
        lines.push(line);
        if (/^ *[✓❯] /.test(line)) say(line);
      }
    });
  return new Promise((resolve, reject) => {
    vitest.once('error', reject);
    vitest.once('close', (code) => resolve({ code: code ?? 1, lines }));
  });
}

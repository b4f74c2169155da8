import { checkForm, checkLint, checkLockFile, checkProjects, checkTypes, checkUses } from './code-steps';
import { runTests } from './test-step';
import type { CommandResult } from './run-command';
import { checkSchemas } from './schema-step';
import { lineOf, sumOf } from './tally';
import type { Tally } from './tally';

type Step = readonly [name: string, check: () => Promise<CommandResult>];

/** The checks beside the tests, in the time that those wait: two lanes, each in its order, which take about the same. */
const lanes: readonly (readonly Step[])[] = [
  [
    ['Lint, module boundaries, promises', checkLint],
    ['Format and import cycles', checkForm],
    ['Types', checkTypes],
  ],
  [
    ['The lock file names no address', checkLockFile],
    ['Contracts and published files', checkProjects],
    ['Nothing unused is exported', checkUses],
    ['Schemas equal their migrations', checkSchemas],
  ],
];

/** What checks that failed have found: it comes after the tests, which would bury it. */
const findings: string[] = [];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

void main();

async function main(): Promise<void> {
  const total = sumOf(await Promise.all([...lanes.map(runLane), runTests()]));
  for (const finding of findings) say(finding);
  say(lineOf(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}

async function runLane(steps: readonly Step[]): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const step of steps) tallies.push(await runStep(step));
  return sumOf(tallies);
}

async function runStep([name, check]: Step): Promise<Tally> {
  const startedAt = performance.now();
  const { passed, output } = await check().catch((error: Error) => ({ passed: false, output: error.message }));
  say(`${passed ? 'pass' : 'FAIL'}  ${name} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
  if (!passed) findings.push(`FAIL  ${name}\n${output}`.trimEnd());
  return passed ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

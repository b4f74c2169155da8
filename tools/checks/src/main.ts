import { checkForm, checkLint, checkTypes, checkUses } from './code-steps';
import { checkGeneratedCode, checkLockFile, checkProtoCompatibility, checkProtoFormat, checkProtoStyle } from './contract-steps';
import { runTests } from './jest-step';
import type { CommandResult } from './run-command';
import { checkSchemas } from './schema-step';
import { lineOf, sumOf } from './tally';
import type { Tally } from './tally';

/** The checks before the tests, in the order they run. */
const steps: readonly [name: string, check: () => Promise<CommandResult>][] = [
  ['The lock file names no address', checkLockFile],
  ['Contracts: generated code is up to date', checkGeneratedCode],
  ['Contracts: lint', checkProtoStyle],
  ['Contracts: format', checkProtoFormat],
  ['Contracts: nothing breaks', checkProtoCompatibility],
  ['Format and import cycles', checkForm],
  ['Lint and module boundaries', checkLint],
  ['Nothing unused is exported', checkUses],
  ['Types', checkTypes],
  ['Schemas equal their migrations', checkSchemas],
];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

void main();

async function main(): Promise<void> {
  const tallies: Tally[] = [];
  for (const [name, check] of steps) tallies.push(await runStep(name, check));
  tallies.push(await runTests());
  const total = sumOf(tallies);
  say(lineOf(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}

async function runStep(name: string, check: () => Promise<CommandResult>): Promise<Tally> {
  const startedAt = performance.now();
  const { passed, output } = await check().catch((error: Error) => ({ passed: false, output: error.message }));
  say(`${passed ? 'pass' : 'FAIL'}  ${name} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
  if (!passed && output.trim() !== '') say(output.trimEnd());
  return passed ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

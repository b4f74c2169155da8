import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { runCommand } from './run-command';
import type { CommandResult } from './run-command';

/** What is looked for, without advice on the configuration. */
export const KNIP_ARGUMENTS = ['--include', 'exports,types,files,enumMembers,duplicates,unresolved', '--no-config-hints'] as const;

const LINT_ARGUMENTS = ['-c', 'oxlint.config.mjs', '--type-aware', '--deny-warnings', '--report-unused-disable-directives'] as const;

/**
 * A program that reads every source keeps most of what it makes: with V8's 16 MB for what is new it copies it over and over, a tenth of
 * all its work.
 */
const nodeEnv = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-semi-space-size=128` };

/** The same of programs written in Go, which by default clean up whenever what they keep has doubled: a fifth of their work, for 300 MB. */
const goEnv = { GOGC: '300' };

/** The lock file gives versions and digests, and leaves the address to npm's settings. */
export async function checkLockFile(): Promise<CommandResult> {
  const lines = readFileSync(join(workspaceRoot(), 'package-lock.json'), 'utf8').split('\n');
  const addresses = lines.filter((line) => /"resolved":\s*"https?:/.test(line));
  return { passed: addresses.length === 0, output: addresses.join('\n') };
}

/** The `check` targets of projects. */
export function checkProjects(): Promise<CommandResult> {
  return runCommand('nx', ['run-many', '-t', 'check']);
}

/**
 * Lint, with the module boundaries, which read the project graph from its cache: it is brought up to date first, and made-up forbidden
 * sources show that the rules are awake. Promises that nobody waits for are found by a program of its own, written in Go.
 */
export async function checkLint(): Promise<CommandResult> {
  const graph = await runCommand('nx', ['show', 'projects']);
  if (!graph.passed) return graph;
  const planted = await runCommand('node', ['tools/lint/planted-sources.mjs']);
  return planted.passed ? runCommand('oxlint', [...LINT_ARGUMENTS, '.'], { env: goEnv }) : planted;
}

/** One form of all code, and no import cycle between files. */
export function checkForm(): Promise<CommandResult> {
  return runCommand('biome', ['check', '--error-on-warnings', '.']);
}

/** Nothing is exported, and no file is kept, that nothing uses. */
export function checkUses(): Promise<CommandResult> {
  return runCommand('knip', KNIP_ARGUMENTS, { env: nodeEnv });
}

/**
 * Types, of all projects as one program that share one set of options, and of the portal, which runs where a document is. By the compiler
 * that is a program of its own: what reads sources through TypeScript's interface has the one before it. Each checker finds
 * out the same types once more, so there is one: the cores have other work.
 */
export async function checkTypes(): Promise<CommandResult> {
  const compile = (project: string) =>
    runCommand('node', ['node_modules/typescript7/bin/tsc', '--checkers', '1', '-p', project], { env: goEnv });
  const ofAll = await compile('tools/checks/tsconfig.all.json');
  return ofAll.passed ? compile('apps/portal/tsconfig.json') : ofAll;
}

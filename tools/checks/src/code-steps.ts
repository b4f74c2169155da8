import { runCommand } from './run-command';
import type { CommandResult } from './run-command';

/** What is looked for, without advice on the configuration. */
export const KNIP_ARGUMENTS = ['--include', 'exports,types,files,enumMembers,duplicates,unresolved', '--no-config-hints'] as const;

export const PROMISES_ARGUMENTS = ['--type-aware'] as const;

/**
 * Programs that read every source keep most of what they make: with V8's 16 MB for what is new they copy it over and over, a tenth of all
 * their work.
 */
const env = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-semi-space-size=128` };

/**
 * Lint, with the module boundaries, which read the project graph from its cache: it is brought up to date first, and made-up
 * forbidden imports show that the rule is awake.
 */
export async function checkLint(): Promise<CommandResult> {
  const graph = await runCommand('nx', ['show', 'projects']);
  if (!graph.passed) return graph;
  const planted = await runCommand('node', ['tools/eslint/planted-sources.mjs']);
  if (!planted.passed) return planted;
  return runCommand('eslint', ['-c', 'tools/eslint/eslint.config.mjs', '--max-warnings', '0', '.'], { env });
}

/** Every promise is waited for, or said not to be. By a checker of its own: eslint would have to make a program of all types for it. */
export function checkPromises(): Promise<CommandResult> {
  return runCommand('oxlint', [...PROMISES_ARGUMENTS, '.']);
}

/** One form of all code, and no import cycle between files. */
export function checkForm(): Promise<CommandResult> {
  return runCommand('biome', ['check', '--error-on-warnings', '.']);
}

/** Nothing is exported, and no file is kept, that nothing uses. */
export function checkUses(): Promise<CommandResult> {
  return runCommand('knip', KNIP_ARGUMENTS, { env });
}

/**
 * Types, of all projects as one program that share one set of options, and of the portal, which runs where a document is. By the compiler
 * that is a program of its own: what reads sources through TypeScript's interface, as lint does, has the one before it.
 */
export async function checkTypes(): Promise<CommandResult> {
  const compile = (project: string) => runCommand('node', ['node_modules/typescript7/bin/tsc', '-p', project]);
  const ofAll = await compile('tools/checks/tsconfig.all.json');
  return ofAll.passed ? compile('apps/portal/tsconfig.json') : ofAll;
}

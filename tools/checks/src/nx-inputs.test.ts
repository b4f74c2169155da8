import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

interface NxSettings {
  readonly targetDefaults: Readonly<Record<string, { readonly inputs?: readonly (string | object)[] }>>;
}

const { targetDefaults } = JSON.parse(readFileSync(join(workspaceRoot(), 'nx.json'), 'utf8')) as NxSettings;
const targets = Object.entries(targetDefaults);
const TOP = '{workspaceRoot}/';

/** Inputs that name one file, by its path in the workspace. */
function namedFiles(inputs: readonly (string | object)[]): string[] {
  const files = inputs.filter((input) => typeof input === 'string' && input.startsWith(TOP) && !input.includes('*')) as string[];
  return files.map((input) => input.slice(TOP.length));
}

test.each(targets)('what the cache of %s depends on exists', (_name, { inputs = [] }) => {
  expect(namedFiles(inputs).filter((file) => !existsSync(join(workspaceRoot(), file)))).toEqual([]);
});

test('a change of the lint rules, or of a tool, makes the lint of every project stale', () => {
  expect(namedFiles(targetDefaults['lint']?.inputs ?? [])).toEqual(expect.arrayContaining(['oxlint.config.mjs', 'package-lock.json']));
  const { nx } = JSON.parse(readFileSync(join(workspaceRoot(), 'apps', 'gateway', 'package.json'), 'utf8')) as {
    nx: { targets: { lint: { command: string } } };
  };
  expect(nx.targets.lint.command).toContain('oxlint.config.mjs');
});

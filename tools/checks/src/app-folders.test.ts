import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

const apps = join(workspaceRoot(), 'apps');

/** Folders under an app's `src`, those of generated code left out. */
function foldersOf(app: string): string[] {
  return readdirSync(join(apps, app, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(apps, app, 'src').length + 1))
    .filter((folder) => !folder.split('/').includes('generated'))
    .sort();
}

/** Descriptions in the README's table of folders. */
function describedFolders(app: string): Map<string, string> {
  const [, section = ''] = readFileSync(join(apps, app, 'README.md'), 'utf8').split('## Folders\n');
  const [table = ''] = section.split('\n\n');
  return new Map(
    [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, folder = '', purpose = '']): [string, string] => [folder, purpose]),
  );
}

test.each(readdirSync(apps))('the README of %s has one line for each of its folders, and no others', (app) => {
  const described = describedFolders(app);
  expect([...described.keys()].sort()).toEqual(foldersOf(app));
  for (const purpose of described.values()) expect(purpose.length).toBeGreaterThan(2);
});

type Targets = Readonly<Record<string, unknown>>;

/** Nx targets of each project of the workspace, by its folder. */
function targetsByFolder(): Map<string, Targets> {
  const files = globSync('{apps,libs,tools}/**/{package,project}.json', { cwd: workspaceRoot(), exclude: ['**/node_modules', '**/dist'] });
  return new Map(
    files.flatMap((path) => {
      const read = JSON.parse(readFileSync(join(workspaceRoot(), path), 'utf8')) as { targets?: Targets; nx?: { targets?: Targets } };
      const targets = read.targets ?? read.nx?.targets;
      return targets === undefined ? [] : [[dirname(path), targets] as const];
    }),
  );
}

test('every project with test files has a target that runs them', () => {
  const targets = targetsByFolder();
  expect(targets.size).toBeGreaterThan(40);
  const tests = globSync('{apps,libs,tools}/**/*.test.{ts,tsx}', { cwd: workspaceRoot(), exclude: ['**/node_modules', '**/dist'] });
  const untested = tests.filter((path) => {
    let folder = dirname(path);
    while (folder !== '.' && !targets.has(folder)) folder = dirname(folder);
    return targets.get(folder)?.['test'] === undefined;
  });
  expect(untested).toEqual([]);
});

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { BASES } from '../src/containerfile';
import { manifestsOf, writeManifests, BASE, writtenManifests } from '../src/manifests';
import { textOf } from './written';

const wanted = manifestsOf(workspaceRoot());

test.each([...wanted])('%s matches the output of `npm run manifests`', (path, text) => {
  expect(textOf(path)).toBe(text);
});

test('there are no other files next to the generated ones', () => {
  expect(writtenManifests(workspaceRoot())).toEqual([...wanted.keys()].sort());
});

test('changed files are rewritten, obsolete ones are removed, and a second run changes nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"version": "1.2.3"}');
    mkdirSync(join(folder, 'deploy', 'images'), { recursive: true });
    copyFileSync(join(workspaceRoot(), BASES), join(folder, BASES));
    expect(writeManifests(folder)).toHaveLength(wanted.size);
    expect(readFileSync(join(folder, BASE, 'account.yaml'), 'utf8')).toContain('image: market-state/account:1.2.3');
    writeFileSync(join(folder, BASE, 'account.yaml'), 'changed');
    writeFileSync(join(folder, BASE, 'left-over.yaml'), 'old');
    expect(writeManifests(folder)).toEqual([`${BASE}/left-over.yaml`, `${BASE}/account.yaml`]);
    expect(writeManifests(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

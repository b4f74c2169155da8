import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { recordRelease, imageOf, lastRelease, readReleases, RELEASES_FILE } from '../../src/releases/releases';

const root = workspaceRoot();
const buf = join(root, 'node_modules', '.bin', 'buf');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-state-contracts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('removed fields, changed types and reused numbers are found by comparison with the last release', () => {
  cpSync(join(root, 'proto'), join(folder, 'proto'), { recursive: true });
  const file = join(folder, 'proto', 'marketstate', 'feed', 'v1', 'feed_service.proto');
  const changes = [
    ['  string venue_id = 4;\n', ''],
    ['uint32 pass = 3;', 'string pass = 3;'],
    ['string sync_state = 8;', 'string another = 8;'],
  ] as const;
  const broken = changes.reduce((text, [from, to]) => text.replace(from, to), readFileSync(file, 'utf8'));
  writeFileSync(file, broken);
  const { status, stdout } = spawnSync(buf, ['breaking', 'proto', '--against', join(root, imageOf(lastRelease(root)))], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status).toBe(100);
  for (const found of ['field "4" with name "venue_id"', '"3" with name "pass"', '"8" with name "another"'])
    expect(stdout).toContain(found);
});

const { commit } = lastRelease(root);
const isCloned = spawnSync('git', ['-C', root, 'cat-file', '-e', `${commit}^{commit}`]).status === 0;

(!isCloned ? test.skip : test)("the last release's record matches its commit, and no other commit has its version", () => {
  const recorded = recordRelease(root, commit, folder);
  expect(recorded).toEqual(lastRelease(root));
  expect(readReleases(folder)).toEqual([recorded]);
  expect(readFileSync(join(folder, imageOf(recorded))).equals(readFileSync(join(root, imageOf(recorded))))).toBe(true);
  writeFileSync(join(folder, RELEASES_FILE), JSON.stringify([{ ...recorded, commit: '0'.repeat(40) }]));
  expect(() => recordRelease(root, commit, folder)).toThrow(`${recorded.version} is already recorded as 000`);
});

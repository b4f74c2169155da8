import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveLayout, createFolderStore, writeArchiveFile } from '@market-state/archive';
import { createWorkplace } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

const LAYOUT: ArchiveLayout = {
  columns: [
    { name: 'ordinal', type: 'int64' },
    { name: 'at_ms', type: 'int64' },
    { name: 'payload', type: 'text' },
  ],
  ordinal: 'ordinal',
  time: 'at_ms',
  payload: 'payload',
};

const keyOf = (hour: string): string => `channel=trades/symbol=BTCUSD-PERP/date=2026-01-05/hour=${hour}/part.parquet`;

/** An archive of three hours. @returns its folder */
async function makeArchive(name: string): Promise<string> {
  const folder = join(place.folder, name);
  for (const hour of ['07', '08', '09'])
    await writeArchiveFile(createFolderStore(folder), {
      key: keyOf(hour),
      layout: LAYOUT,
      gapIds: [],
      rows: async function* () {
        yield [1, 2, 3].map((ordinal) => [ordinal, 1_000 * ordinal, `row ${ordinal} of ${hour}`]);
      },
    });
  return folder;
}

const verify = (url: string) => place.run('archive', 'verify', '--url', url);

test('every file of an archive is as its manifest says, until a byte is changed, a file is missing or its manifest is none', async () => {
  const folder = await makeArchive('whole');
  expect(await verify(folder)).toMatchObject({
    exitCode: 0,
    lines: [expect.stringMatching(/^EQUAL: 3 files, [\d,]+ bytes, all matching their manifests\.$/)],
  });

  const changed = join(folder, keyOf('07'));
  const bytes = readFileSync(changed);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  writeFileSync(changed, bytes);
  rmSync(join(folder, keyOf('08')));
  writeFileSync(join(folder, keyOf('09'), '../manifest.json'), '{}');
  expect(await verify(folder)).toMatchObject({
    exitCode: 1,
    lines: [
      expect.stringMatching(/hour=07\/part\.parquet: SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}$/),
      expect.stringMatching(/hour=08\/manifest\.json: the file it describes is missing$/),
      expect.stringMatching(/hour=09\/part\.parquet: the manifest cannot be read$/),
      expect.stringMatching(/^DIFFERENT: of 2 files, [\d,]+ bytes, 3 do not match\.$/),
    ],
  });
});

test('a file that grew is detected by its size; a file without a manifest is reported but is no error', async () => {
  const folder = await makeArchive('grown');
  appendFileSync(join(folder, keyOf('07')), 'more');
  rmSync(join(folder, keyOf('08'), '../manifest.json'));
  const { exitCode, stdout, stderr } = await verify(folder);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/hour=07\/part\.parquet: has \d+ bytes, expected \d+\n/);
  expect(stderr).toContain('hour=08/part.parquet has no manifest yet: its writer was interrupted and will write it again');
});

test('an invalid store and an empty store have different exit codes and messages', async () => {
  expect(await verify('ftp://somewhere')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('must be the absolute path of a folder, file:///folder or s3://bucket/prefix') as string,
  });
  expect(await verify(join(place.folder, 'empty'))).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('No file with a manifest') as string,
  });
});

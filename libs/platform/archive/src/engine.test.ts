import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from './engine';

/** About 60 MB of incompressible data. */
const SORTED = 'CREATE TABLE sorted AS SELECT md5(range::VARCHAR) AS a, md5((range + 1)::VARCHAR) AS b FROM range(1000000) ORDER BY a';

test('work spills up to the limit of an engine, and fails beyond it', async () => {
  const spillFolder = await mkdtemp(join(tmpdir(), 'spill-'));
  const wide = await openEngine({ memoryMb: 48, spillFolder, spillMbMax: 1_000 });
  await wide.run((connection) => connection.run(SORTED));
  wide.close();
  const narrow = await openEngine({ memoryMb: 48, spillFolder, spillMbMax: 5 });
  await expect(narrow.run((connection) => connection.run(SORTED))).rejects.toThrow('max_temp_directory_size');
  narrow.close();
  await rm(spillFolder, { recursive: true, force: true });
});

test('settings of an engine cannot be changed by what it runs', async () => {
  const engine = await openEngine({ memoryMb: 48 });
  await expect(engine.run((connection) => connection.run("SET memory_limit = '1GiB'"))).rejects.toThrow('locked');
  engine.close();
});

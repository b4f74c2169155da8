import {
  createArchiveReader,
  deleteArchiveFile,
  type ObjectStore,
  readManifest,
  verifyArchiveFile,
  writeArchiveFile,
} from '@market-state/archive';
import type { marketData } from '@market-state/contracts';
import { archiveLayoutOf } from '@market-state/market-data';
import type { Pool } from 'pg';
import { objectKeyOf } from '../src/store/archive-files';

/** Replaces an hour of trades with a file in the format before `exchange_ts_is_receive_time`. */
export async function replaceByOldFile(
  store: ObjectStore,
  owner: Pool,
  hour: { readonly symbol: string; readonly channel: 'trade'; readonly hourMs: number },
): Promise<marketData.ArchivedFile> {
  const key = objectKeyOf(hour);
  const layout = archiveLayoutOf(hour.channel);
  const old = { ...layout, columns: layout.columns.filter(({ name }) => name !== 'exchange_ts_is_receive_time') };
  const written = await readManifest(store, key);
  if (written === undefined) throw new Error(`no file at ${key}`);
  const reader = createArchiveReader(store);
  const rows = await reader.read({ key, sha256: written.sha256 }, { columns: old.columns, filters: [] });
  await reader.close();

  await deleteArchiveFile(store, key);
  const manifest = await writeArchiveFile(store, {
    key,
    layout: old,
    rows: async function* () {
      yield rows;
    },
    gapIds: written.gap_ids,
  });
  expect(manifest.rows_sha256).toBe(written.rows_sha256);
  await verifyArchiveFile(store, manifest, layout);
  const { sha256, bytes } = manifest;
  await owner.query('UPDATE archive_file SET sha256 = $2, byte_total = $3 WHERE object_key = $1', [key, sha256, bytes]);
  return { objectKey: key, sha256, bytes };
}

import { ArchiveCorruptError, type ArchiveFileRef, type ArchiveReader, StoreUnreachableError } from '@market-state/archive';
import { readArchived } from './spanning-readers';

const wanted = { span: { symbol: 'BTCUSD-PERP', fromMs: null, toMs: null }, filters: [], newestFirst: false, columns: [], count: 10 };
const first: ArchiveFileRef = { key: 'first', sha256: '1' };
const second: ArchiveFileRef = { key: 'second', sha256: '2' };

/** A reader of files of one row each, the file's name. */
function readerWithout(missing: string): Pick<ArchiveReader, 'read'> {
  return {
    read: async ({ key }) => {
      if (key === missing) throw new ArchiveCorruptError(key, 'it is missing');
      return [[key]];
    },
  };
}

/** List that is called again each time; the last result repeats. */
function lists(...answers: ArchiveFileRef[][]): () => Promise<ArchiveFileRef[]> {
  return async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
}

test('a file that is let go between the list and its reading is no damage: what is listed then is read', async () => {
  await expect(readArchived(readerWithout('first'), lists([first, second], [second]), wanted)).resolves.toEqual([['second']]);
  await expect(readArchived(readerWithout('first'), lists([first], []), wanted)).resolves.toEqual([]);
});

test('a file that is rewritten in between is read as it is now', async () => {
  let read = 0;
  const reader: Pick<ArchiveReader, 'read'> = {
    read: async ({ key, sha256 }) => {
      read += 1;
      if (sha256 === '1') throw new ArchiveCorruptError(key, 'its bytes differ');
      return [[sha256]];
    },
  };
  await expect(readArchived(reader, lists([first], [{ ...first, sha256: '3' }]), wanted)).resolves.toEqual([['3']]);
  expect(read).toBe(2);
});

test('a file that is still listed and cannot be read is damaged', async () => {
  await expect(readArchived(readerWithout('second'), lists([first, second]), wanted)).rejects.toMatchObject({
    reason: 'archive_corrupt',
    metadata: { object_key: 'second' },
  });
});

test('a store that does not answer is out of reach, not damaged', async () => {
  const reader = { read: () => Promise.reject(new StoreUnreachableError('no answer in time')) };
  await expect(readArchived(reader, lists([first]), wanted)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'upstream_unavailable' });
});

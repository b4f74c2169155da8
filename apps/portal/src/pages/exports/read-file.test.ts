import { createHash } from 'node:crypto';
import { VerificationError } from '@market-state/client';
import { readFile } from './read-file';

const bytes = new Uint8Array(10_000).map((_each, index) => index % 251);
const wanted = { name: 'trades.csv', bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };

/** Returns 3,000 bytes at a time, then disconnects. */
function broken(from: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(new TypeError('network error'));
      else controller.enqueue(bytes.slice(from, from + 3_000));
      isSent = true;
      if (from + 3_000 >= bytes.length) controller.close();
    },
  });
}

test('a broken download resumes where it stopped and is complete', async () => {
  const requested: number[] = [];
  const blob = await readFile(
    wanted,
    async (from) => {
      requested.push(from);
      return { body: broken(from), isWhole: from === 0 };
    },
    () => undefined,
  );
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(bytes);
  expect(requested).toEqual([0, 3_000, 6_000, 9_000]);
});

test('an ignored range restarts the file', async () => {
  let calls = 0;
  const blob = await readFile(
    wanted,
    async () => ({ body: (calls += 1) === 1 ? broken(0) : new Blob([bytes]).stream(), isWhole: true }),
    () => undefined,
  );
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(bytes);
});

test('a wrong digest is refused, and a download without progress is abandoned', async () => {
  const other = { ...wanted, sha256: wanted.sha256.replace(/^./, (first) => (first === '0' ? '1' : '0')) };
  await expect(
    readFile(
      other,
      async () => ({ body: new Blob([bytes]).stream(), isWhole: true }),
      () => undefined,
    ),
  ).rejects.toThrow(VerificationError);
  await expect(
    readFile(
      wanted,
      async () => ({ body: null, isWhole: false }),
      () => undefined,
    ),
  ).rejects.toThrow(/downloaded completely/);
});

import { open } from 'node:fs/promises';
import { openEngine } from './engine';
import { fromEngineError, fromFileError, StoreFullError, StoreUnreachableError } from './store-errors';

const fileError = (code: string): Error => Object.assign(new Error(`${code}: from the system`), { code, syscall: 'write' });

test.each([
  ['ENOSPC', StoreFullError],
  ['EDQUOT', StoreFullError],
  ['EIO', StoreUnreachableError],
  ['EACCES', StoreUnreachableError],
  ['EMFILE', StoreUnreachableError],
])('%s of the file system is an error of its store', (code, type) => {
  expect(fromFileError(fileError(code))).toBeInstanceOf(type);
});

test('an error that is not of the file system, or that a file is not there, stays what it is', () => {
  for (const error of [fileError('ENOENT'), new Error('x'), new RangeError('x'), 'x', undefined]) expect(fromFileError(error)).toBe(error);
});

test.each([
  ['IO Error: Could not write file "/a/part": Disk quota exceeded', StoreFullError],
  ['IO Error: Cannot open file "/a": Too many open files', StoreUnreachableError],
  ['IO Error: Could not read from file "/a": Input/output error', StoreUnreachableError],
])('what the engine says of the disk is an error of its store: %s', (message, type) => {
  expect(fromEngineError(new Error(message))).toBeInstanceOf(type);
});

test.each([
  'IO Error: Could not read enough bytes from file "/a": attempted to read 10 bytes from location 1',
  "Invalid Input Error: No magic bytes found at end of file '/a'",
  'Out of Memory Error: failed to offload data block',
])('what it says of a file, or of itself, stays what it is: %s', (message) => {
  const error = new Error(message);
  expect(fromEngineError(error)).toBe(error);
});

test('a full device is reported as such by the file system and by the engine', async () => {
  const device = await open('/dev/full', 'w');
  await expect(
    device.write('x').catch((error: unknown) => {
      throw fromFileError(error);
    }),
  ).rejects.toThrow(StoreFullError);
  await device.close();
  const engine = await openEngine({ memoryMb: 64 });
  await expect(engine.run((connection) => connection.run("COPY (SELECT 1 AS a) TO '/dev/full' (FORMAT parquet)"))).rejects.toThrow(
    StoreFullError,
  );
  engine.close();
});

import { crc32 } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';
import { UnreadableFileError } from './unreadable-file-error';

/** Content of the only file of a zip, as Binance publishes them. */
export async function* unpackedZip(path: string): AsyncGenerator<Uint8Array> {
  const zip = await openPromise(path, { autoClose: false });
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) entries.push(entry);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1)
      throw new UnreadableFileError(
        `zip with ${entries.length} files, not one: unpack it with unzip; if it is an Excel workbook, save it as CSV`,
      );
    let checksum = 0;
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new UnreadableFileError(`corrupt zip: ${entry.fileName} has another checksum than stated`);
  } finally {
    zip.close();
  }
}

import { statfs } from 'node:fs/promises';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { RpcDeps } from '../rpc/deps';
import { readHotSizes, readWrittenChannels } from '../store/catalog';
import { dailyBytes, daysLeft, diskFactor, growthsOf, type StoredBytes } from './storage-forecast';

export type StorageDeps = Pick<RpcDeps, 'pool' | 'storage'> & { readonly tail: Pick<RpcDeps['tail'], 'symbols'> };

/** How fast what is stored grows, and how long the disk lasts. */
export interface Storage {
  /** Written in a day by all channels of all symbols, hot and archived. */
  readonly bytesADay: number;
  /** Of the disk that the archive is on; undefined where there is none or it can't be asked. */
  readonly freeBytes: number | undefined;
  /** Days until that disk is full; undefined when it never is, or nothing is known of it. */
  readonly daysLeft: number | undefined;
  dailyBytesOf(symbol: string, channel: Channel): StoredBytes | undefined;
}

/** Rejects as `storeFailure` says. */
export async function readStorage({ pool, storage, tail }: StorageDeps): Promise<Storage> {
  const [written, sizes, freeBytes] = await Promise.all([
    readWrittenChannels(pool, tail.symbols),
    readHotSizes(pool, CHANNELS),
    freeBytesOf(storage.archiveFolder),
  ]);
  const factors = new Map(sizes.map((size) => [size.channel, diskFactor(size)]));
  const daily = written.map((each) => {
    const factor = factors.get(each.channel) ?? 1;
    return { ...each, bytes: dailyBytes(each, factor), held: { hot: each.hotPayloadBytes * factor, archived: each.heldArchiveBytes } };
  });
  const growths = daily.flatMap(({ channel, bytes, held }) => growthsOf(bytes, held, storage.days[channel]));
  return {
    bytesADay: daily.reduce((sum, { bytes }) => sum + bytes.hot + bytes.archived, 0),
    freeBytes,
    daysLeft: daysLeft(growths, freeBytes),
    dailyBytesOf: (symbol, channel) => daily.find((each) => each.symbol === symbol && each.channel === channel)?.bytes,
  };
}

async function freeBytesOf(folder: string | undefined): Promise<number | undefined> {
  if (folder === undefined) return undefined;
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

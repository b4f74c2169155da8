import type { Swift, SwiftBucket } from '@market-state/testing';
import { type ObjectStore, openStore, type StoreOptions } from '../src';

/** Calls give up after 3 s. */
export function openInBucket(swift: Swift, { name, folder }: SwiftBucket, prefix: string, options?: StoreOptions): ObjectStore {
  return openStore(`s3://${name}/${prefix}`, { endpoint: swift.endpoint, cacheFolder: folder, deadlineMs: 3_000, ...options });
}

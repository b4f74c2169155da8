import { createFolderStore } from './folder-store';
import type { ObjectStore } from './object-store';
import { createS3Store } from './s3/s3-store';
import { parseStoreUrl, type StoreOptions } from './store-settings';

/**
 * Opens the store at a URL (see `storeUrl`). Nothing is contacted and no client is loaded before the first use.
 * @throws RangeError when the URL is none of a store
 */
export function openStore(url: string, options: StoreOptions = {}): ObjectStore {
  const place = parseStoreUrl(url);
  return place.kind === 'folder' ? createFolderStore(place.path) : createS3Store(place, options);
}

import { createFolderStore } from './folder-store';
import type { ObjectStore } from './object-store';
import type { StoreOptions } from './store-settings';
import { parseStoreUrl } from './store-url';

/**
 * Opens the store at a URL (see `storeUrl`). Nothing is contacted and no client is loaded before the first use.
 * @throws RangeError when the URL is none of a store
 */
export function openStore(url: string, _options: StoreOptions = {}): ObjectStore {
  const place = parseStoreUrl(url);
  if (place.kind === 'folder') return createFolderStore(place.path);
  throw new RangeError('s3:// is not available');
}

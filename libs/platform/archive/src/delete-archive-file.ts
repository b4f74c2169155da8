import { manifestKeyOf } from './manifest';
import type { ObjectStore } from './object-store';

/** Deletes a file and its manifest; neither need be there, so that a deletion that was interrupted can be repeated. */
export async function deleteArchiveFile(store: ObjectStore, key: string): Promise<void> {
  await store.delete(key);
  await store.delete(manifestKeyOf(key));
}

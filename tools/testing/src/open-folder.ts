import { takeTemporaryFolder } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';

export function openFolder(closer: Closer): string {
  const { path, remove } = takeTemporaryFolder();
  closer.add(path, remove);
  return path;
}

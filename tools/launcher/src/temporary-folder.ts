import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warden } from './process/warden';

/** A new temporary folder that every user may enter but not list; the warden removes it if this process does not. */
export function takeTemporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'market-state-'));
  chmodSync(path, 0o711);
  warden().removeFolder(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      warden().keepFolder(path);
    },
  };
}

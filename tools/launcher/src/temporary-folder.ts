import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warden } from './process/warden';

/** Names the temporary folder of all where that of a process is its own. */
const SHARED = 'MARKET_STATE_SHARED_TMPDIR';

/**
 * Gives this process, and those that it starts from now on, a temporary folder of their own, which is removed once this process is gone,
 * however they end.
 */
export function useOwnTemporaryFolder(): void {
  process.env[SHARED] = sharedTemporaryFolder();
  process.env['TMPDIR'] = takeTemporaryFolder().path;
}

/** The temporary folder for what outlives a process that has one of its own. */
export function sharedTemporaryFolder(): string {
  return process.env[SHARED] ?? tmpdir();
}

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

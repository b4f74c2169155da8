import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processGuard } from './process/process-guard';

const SHARED = 'MARKET_STATE_SHARED_TMPDIR';

/** Sets up a private temporary folder for this process and its future children, removed after it exits. */
export function useOwnTemporaryFolder(): void {
  process.env[SHARED] = sharedTemporaryFolder();
  process.env['TMPDIR'] = takeTemporaryFolder().path;
}

/** Temporary folder for files that outlive a process with its own. */
export function sharedTemporaryFolder(): string {
  return process.env[SHARED] ?? tmpdir();
}

/** A new temporary folder that every user may enter but not list; removed by the cleanup process if not by this one. */
export function takeTemporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'market-state-'));
  chmodSync(path, 0o711);
  processGuard().removeFolder(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      processGuard().keepFolder(path);
    },
  };
}

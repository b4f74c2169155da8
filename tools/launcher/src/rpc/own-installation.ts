import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInstallation, type Installation } from './installation';

let own: Installation | undefined;

/** The installation of this process alone, with a token of its own and files that are removed at its end: for suites and tests. */
export function ownInstallation(): Installation {
  if (own !== undefined) return own;
  const folder = mkdtempSync(join(tmpdir(), 'market-state-tokens-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  own = createInstallation(randomBytes(32), folder);
  return own;
}

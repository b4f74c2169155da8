import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether what is installed is what the lock file names. npm keeps the list of what it has installed in
 * node_modules/.package-lock.json; packages for other platforms are not on it.
 */
export function isInstalled(root) {
  const listFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(listFile)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(listFile, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    const found = present[path];
    if (found === undefined) return !path.startsWith('node_modules/') || entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Installs what the lock file names; packages may run install scripts only when package.json allows them by name. */
export function install(root) {
  const { status, error } = spawnSync('npm', ['ci', '--strict-allow-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  if (status !== 0) throw new Error(`npm ci failed (${error?.message ?? `exit code ${status}`}).`);
}

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSetupLock } from './setup-lock.mjs';

/**
 * Installs the packages that the lock file names, unless they are there. Packages run install scripts only if package.json
 * allows them by name.
 * @param say takes a line for a person to read
 * @throws Error if npm fails
 */
export async function installPackages(root, say) {
  if (isInstalled(root)) return;
  await withSetupLock(root, say, async () => {
    if (isInstalled(root)) return;
    say('Installing packages (the first time, this can take a minute or two)');
    const startedAt = performance.now();
    await npmCi(root);
    say(`Packages: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  });
}

/**
 * Whether the installed packages are those of the lock file. npm lists what it installed in node_modules/.package-lock.json;
 * packages for other platforms are not on that list.
 */
function isInstalled(root) {
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

async function npmCi(root) {
  const child = spawn('npm', ['ci', '--strict-allow-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  await new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`npm cannot be started: ${error.message}`)));
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`npm ci failed (exit code ${code}).`))));
  });
}

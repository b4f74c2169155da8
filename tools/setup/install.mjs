import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withSetupLock } from './setup-lock.mjs';

/** Install scripts run only if package.json allows them by name. */
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

/** npm lists installed packages in node_modules/.package-lock.json, without those for other platforms. */
function isInstalled(root) {
  const listFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(listFile)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(listFile, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    const found = present[path];
    if (found === undefined) return !path.startsWith('node_modules/') || entry.optional === true;
    return found.version === entry.version && (entry.integrity === undefined || found.integrity === entry.integrity);
  });
}

/**
 * Works in a staging folder, so that an interrupted installation leaves nothing behind. The staged lock file has
 * package addresses, which npm would otherwise look up one by one.
 */
async function npmCi(root) {
  const staging = join(root, '.tmp', 'install');
  rmSync(staging, { recursive: true, force: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const workspaces = Object.keys(lock.packages).filter((path) => !path.includes('node_modules/'));
  for (const path of workspaces) {
    copy(root, staging, join(path, 'package.json'));
    // npm links a program only if it exists.
    for (const file of Object.values(lock.packages[path].bin ?? {})) copy(root, staging, join(path, file));
  }
  if (existsSync(join(root, '.npmrc'))) copy(root, staging, '.npmrc');
  writeFileSync(join(staging, 'package-lock.json'), JSON.stringify({ ...lock, packages: withAddresses(lock.packages, registryOf(root)) }));

  await runNpm(staging);

  for (const path of workspaces) {
    const [from, to] = [staging, root].map((folder) => join(folder, path, 'node_modules'));
    rmSync(to, { recursive: true, force: true });
    if (existsSync(from)) renameSync(from, to);
  }
  rmSync(staging, { recursive: true });
}

function copy(root, staging, file) {
  mkdirSync(dirname(join(staging, file)), { recursive: true });
  cpSync(join(root, file), join(staging, file));
}

function registryOf(folder) {
  const { status, stdout, error } = spawnSync('npm', ['config', 'get', 'registry'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm does not report its registry${error === undefined ? '' : `: ${error.message}`}.`);
  return stdout.trim().replace(/\/?$/, '/');
}

function withAddresses(packages, registry) {
  const entries = Object.entries(packages).map(([path, entry]) => {
    if (entry.integrity === undefined) return [path, entry];
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const file = `${name.slice(name.indexOf('/') + 1)}-${entry.version}.tgz`;
    return [path, { resolved: `${registry}${name}/-/${file}`, ...entry }];
  });
  return Object.fromEntries(entries);
}

async function runNpm(folder) {
  const child = spawn('npm', ['ci', '--strict-allow-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  await new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`npm cannot be started: ${error.message}`)));
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`npm ci failed (exit code ${code}).`))));
  });
}

import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { runsAsRoot } from './native-folder';

const run = promisify(execFile);
const installTimeoutMs = 180_000;
const policyFile = '/usr/sbin/policy-rc.d';

/**
 * The path of `redis-server`, or else `valkey-server`, on PATH. Where there is none, root on Debian or Ubuntu installs the
 * distribution's package, without its service being started; anyone else is told the line to run.
 * @throws Error with that line
 */
export async function findRedisServer(say: (line: string) => void): Promise<string> {
  const found = onPath('redis-server') ?? onPath('valkey-server');
  if (found !== undefined) return found;
  const line = installLine(readFileOrEmpty('/etc/os-release'));
  if (!runsAsRoot() || onPath('apt-get') === undefined) {
    throw new Error(`No redis-server or valkey-server on PATH. Install one, then start again:\n  ${line}`);
  }
  say("No redis-server on PATH: installing the distribution's package with apt-get.");
  await install();
  const installed = onPath('redis-server');
  if (installed === undefined) throw new Error(`apt-get did not bring a redis-server. Try by hand:\n  ${line}`);
  return installed;
}

/** The command that installs Redis or Valkey on the system that this `os-release` text describes. */
export function installLine(osRelease: string): string {
  const family = /^(?:ID|ID_LIKE)=.*$/gm;
  const ids = (osRelease.match(family) ?? []).join(' ');
  if (/alpine/.test(ids)) return 'sudo apk add redis';
  if (/fedora|rhel|centos/.test(ids)) return 'sudo dnf install valkey';
  if (/arch/.test(ids)) return 'sudo pacman -S valkey';
  if (/suse/.test(ids)) return 'sudo zypper install redis';
  return 'sudo apt-get install redis-server';
}

/**
 * Installs the package. Its service is neither started, which a policy file sees to for that long (unless the system has its
 * own), nor at the next boot.
 */
async function install(): Promise<void> {
  const ownPolicy = !existsSync(policyFile);
  if (ownPolicy) writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const options = { timeout: installTimeoutMs, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  try {
    await run('apt-get', ['update', '-q'], options);
    await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'redis-server'], options);
    if (existsSync('/run/systemd/system')) await run('systemctl', ['disable', 'redis-server'], options);
  } finally {
    if (ownPolicy) rmSync(policyFile, { force: true });
  }
}

function onPath(program: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

function readFileOrEmpty(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

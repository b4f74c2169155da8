import { existsSync, readFileSync } from 'node:fs';
import { canInstallPackages, installPackage, onPath } from '../debian-package';

/** The path of `redis-server`, or else `valkey-server`, on PATH; undefined where there is neither. */
export function redisServerOnPath(): string | undefined {
  return onPath('redis-server') ?? onPath('valkey-server');
}

/**
 * The path of `redis-server`, or else `valkey-server`, on PATH. Where there is none, root on Debian or Ubuntu installs the
 * distribution's package, without its service being started; anyone else is told the line to run.
 * @throws Error with that line
 */
export async function findRedisServer(say: (line: string) => void): Promise<string> {
  const found = redisServerOnPath();
  if (found !== undefined) return found;
  const line = installLine(readFileOrEmpty('/etc/os-release'));
  if (!canInstallPackages()) throw new Error(`No redis-server or valkey-server on PATH. Install one, then start again:\n  ${line}`);
  say("No redis-server on PATH: installing the distribution's package with apt-get.");
  await installPackage('redis-server');
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

function readFileOrEmpty(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

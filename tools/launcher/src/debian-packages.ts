import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { runsAsRoot } from './stores/native-folder';

const run = promisify(execFile);
const installTimeoutMs = 180_000;
const policyFile = '/usr/sbin/policy-rc.d';

/**
 * Installs a package of Debian. Its service is neither started, which a policy file sees to for that long (unless the system has its
 * own), nor at the next boot.
 * @param unit the service that it brings, where it brings one
 */
export async function installPackage(name: string, unit: string): Promise<void> {
  const ownPolicy = !existsSync(policyFile);
  if (ownPolicy) writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const options = { timeout: installTimeoutMs, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  try {
    await run('apt-get', ['update', '-q'], options);
    await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', name], options);
    if (existsSync('/run/systemd/system')) await run('systemctl', ['disable', unit], options);
  } finally {
    if (ownPolicy) rmSync(policyFile, { force: true });
  }
}

/**
 * The path of a program of Debian, installed first where it is missing and this process may.
 * @throws Error with the line to run when it may not, or the package did not bring it
 */
export async function debianProgram(file: string, packageName: string, say: (line: string) => void): Promise<string> {
  if (existsSync(file)) return file;
  const line = `sudo apt-get install ${packageName}`;
  if (!runsAsRoot()) throw new Error(`There is no ${file}. Install it, then start again:\n  ${line}`);
  say(`There is no ${file}: installing ${packageName} with apt-get.`);
  await installPackage(packageName, packageName.replace(/-\d+$/, ''));
  if (!existsSync(file)) throw new Error(`apt-get did not bring ${file}. Try by hand:\n  ${line}`);
  return file;
}

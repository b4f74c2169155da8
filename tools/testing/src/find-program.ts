import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { onPath } from '@market-state/launcher';

const run = promisify(execFile);
const installTimeoutMs = 180_000;
const lockTimeoutS = 120;
const policyFile = '/usr/sbin/policy-rc.d';

/**
 * Path of a program, given by its name or its absolute path. If it is missing, root on Debian or Ubuntu installs the package
 * that has it.
 * @throws Error with the command to run if nothing can be installed
 */
export async function findProgram(program: string, debianPackage: string, say: (line: string) => void): Promise<string> {
  const found = onPath(program);
  if (found !== undefined) return found;
  const command = `sudo apt-get install ${debianPackage}`;
  if (!canInstallPackages()) throw new Error(`${program} is missing. Install it, then try again: ${command}`);
  say(`Installing ${program} (Debian package ${debianPackage})`);
  await installPackage(debianPackage);
  const installed = onPath(program);
  if (installed === undefined) throw new Error(`apt-get did not install ${program}. Try by hand: ${command}`);
  return installed;
}

/** Whether this process may install packages of Debian or Ubuntu. */
export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/**
 * Installs a package. Its service is neither started, which a policy file prevents during the installation (unless the system
 * has one of its own), nor at the next boot.
 */
async function installPackage(debianPackage: string): Promise<void> {
  const ownPolicy = !existsSync(policyFile);
  if (ownPolicy) writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const options = { timeout: installTimeoutMs, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  const wait = ['-o', `DPkg::Lock::Timeout=${lockTimeoutS}`];
  try {
    await run('apt-get', [...wait, 'update', '-q'], options);
    await run('apt-get', [...wait, 'install', '-q', '-y', '--no-install-recommends', debianPackage], options);
    if (existsSync('/run/systemd/system')) await run('systemctl', ['disable', unitOf(debianPackage)], options);
  } finally {
    if (ownPolicy) rmSync(policyFile, { force: true });
  }
}

/** Name of a package's service: `postgresql` for `postgresql-15`. */
function unitOf(debianPackage: string): string {
  return debianPackage.replace(/-\d+$/, '');
}

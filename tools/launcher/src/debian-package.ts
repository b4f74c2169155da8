import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { runsAsRoot } from './stores/native-folder';

const run = promisify(execFile);
const installTimeoutMs = 180_000;
const policyFile = '/usr/sbin/policy-rc.d';

/** The path of a program that may be run, by the folders of PATH; undefined where there is none. */
export function onPath(program: string): string | undefined {
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

/** Whether this process may install packages of Debian or Ubuntu. */
export function canInstallPackages(): boolean {
  return runsAsRoot() && onPath('apt-get') !== undefined;
}

/**
 * The path of a program on PATH. Where it is missing, root on Debian or Ubuntu installs the distribution's package that has it.
 * @throws Error with the line to run, where nothing can be installed
 */
export async function findProgram(program: string, debianPackage: string, say: (line: string) => void): Promise<string> {
  const found = onPath(program);
  if (found !== undefined) return found;
  const line = `sudo apt-get install ${debianPackage}`;
  if (!canInstallPackages()) throw new Error(`No ${program} on PATH. Install it, then start again:\n  ${line}`);
  say(`No ${program} on PATH: installing the distribution's package with apt-get.`);
  await installPackage(debianPackage);
  const installed = onPath(program);
  if (installed === undefined) throw new Error(`apt-get did not bring ${program}. Try by hand:\n  ${line}`);
  return installed;
}

/**
 * Installs a package. Its service is neither started, which a policy file sees to for that long (unless the system has its
 * own), nor at the next boot.
 */
export async function installPackage(debianPackage: string): Promise<void> {
  const ownPolicy = !existsSync(policyFile);
  if (ownPolicy) writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const options = { timeout: installTimeoutMs, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  try {
    await run('apt-get', ['update', '-q'], options);
    await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', debianPackage], options);
    if (existsSync('/run/systemd/system')) await run('systemctl', ['disable', debianPackage], options);
  } finally {
    if (ownPolicy) rmSync(policyFile, { force: true });
  }
}

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { onPath, workspaceRoot } from '@market-state/launcher';

/** Only Debian's interpreter sees libraries from Debian packages. */
const INTERPRETERS = ['/usr/bin/python3', 'python3'];
const OUTPUT_BYTES_MAX = 2 ** 26;

interface PythonOutcome {
  readonly code: number;
  readonly output: string;
}

const IMPORT_ALL = `
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception:
        sys.exit(name)
`;
const missing = new Map<string, Set<string>>(INTERPRETERS.map((python) => [python, new Set()]));

export function findPython(modules: readonly string[]): string | null {
  const has = (python: string): boolean => {
    const lacks = missing.get(python);
    if (modules.some((name) => lacks?.has(name))) return false;
    const { status, stderr } = spawnSync(python, ['-c', IMPORT_ALL, ...modules], { encoding: 'utf8' });
    if (status !== 0) lacks?.add(status === null ? (modules[0] ?? '') : (stderr.trim().split('\n').at(-1) ?? ''));
    return status === 0;
  };
  return INTERPRETERS.find(has) ?? null;
}

/** Runs Python in the client's folder without leaving compiled files. */
export function runPython(python: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<PythonOutcome> {
  const options = {
    cwd: join(workspaceRoot(), 'libs', 'client-python'),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    maxBuffer: OUTPUT_BYTES_MAX,
  };
  return new Promise((resolve) => {
    execFile(python, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, output: stdout + stderr }),
    );
  });
}

const run = promisify(execFile);
const installTimeoutMs = 180_000;
const lockTimeoutS = 120;
const policyFile = '/usr/sbin/policy-rc.d';

/**
 * If the program is missing, root on Debian or Ubuntu installs its package.
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
  if (installed === undefined) throw new Error(`apt-get could not install ${program}. Try it manually: ${command}`);
  return installed;
}

export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/**
 * Installs a package. A policy file (unless the system has its own) keeps its service from starting, now and at boot.
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

function unitOf(debianPackage: string): string {
  return debianPackage.replace(/-\d+$/, '');
}

import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** Debian's own interpreter sees the libraries that Debian packs; another one on PATH does not. */
const INTERPRETERS = ['/usr/bin/python3', 'python3'];
const OUTPUT_BYTES_MAX = 2 ** 26;

/** What a program said, on both streams, and how it ended. */
interface PythonOutcome {
  readonly code: number;
  readonly output: string;
}

/** Imports each module that it is given, and says the first that there is not. */
const IMPORT_ALL = `
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception:
        sys.exit(name)
`;
/** Modules that an interpreter is known not to have; starting one takes a while. */
const missing = new Map<string, Set<string>>(INTERPRETERS.map((python) => [python, new Set()]));

/** An interpreter that has these modules; null where there is none. */
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

/** Runs Python in the folder of the Python client, and leaves no compiled files there. */
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

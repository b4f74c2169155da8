import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const PARTS = ['pyproject.toml', 'README.md', 'src'];
/** Prints the name of the wheel last. */
const BUILD = 'import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))';

/**
 * Makes the wheel of the Python client in `folder` and gives its path. `python` is an interpreter that has setuptools and wheel; nothing is
 * fetched. The sources are copied first, for setuptools writes beside them.
 */
export function buildPythonPackage(root, folder, python) {
  const copy = mkdtempSync(join(tmpdir(), 'market-state-wheel-'));
  try {
    for (const part of PARTS)
      cpSync(join(root, 'libs', 'client-python', part), join(copy, part), {
        recursive: true,
        filter: (path) => basename(path) !== '__pycache__' && !path.endsWith('.egg-info'),
      });
    cpSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
    mkdirSync(folder, { recursive: true });
    const { status, stdout, stderr } = spawnSync(python, ['-c', BUILD, folder], { cwd: copy, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The wheel could not be made: ${python} needs setuptools and wheel.\n${stderr}`);
    return join(folder, stdout.trim().split('\n').at(-1));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

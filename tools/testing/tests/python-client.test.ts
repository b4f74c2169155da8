import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { findPython, runPython } from '../src/index';

const PACK = join(workspaceRoot(), 'tools', 'bundle', 'python-package-main.mjs');

/** Counted as skipped, with what is missing, where this machine has no Python with these. */
const WHAT_TESTS_NEED = ['httpx', 'pandas', 'pytest', 'cryptography'];
const WHAT_A_WHEEL_NEEDS = ['httpx', 'setuptools', 'wheel', 'venv'];

function where(modules: readonly string[]) {
  const python = findPython(modules);
  const why = `skipped, there is no Python with ${modules.join(', ')} (Debian: ${modules.map((name) => `python3-${name}`).join(' ')})`;
  return { test: python === null ? test.skip : test, python: python ?? '', why: python === null ? `: ${why}` : '' };
}

const tested = where(WHAT_TESTS_NEED);
tested.test(`the Python client passes its tests${tested.why}`, async () => {
  const { code, output } = await runPython(tested.python, ['-m', 'pytest', 'tests', '--ignore', 'tests/test_live.py']);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^[0-9]+ passed in /m) as string });
});

const typed = where(['httpx', 'mypy']);
typed.test(`the Python client has types that mypy takes in its strict form${typed.why}`, async () => {
  const cache = join(workspaceRoot(), 'node_modules', '.cache', 'mypy');
  expect(await runPython(typed.python, ['-m', 'mypy', '--cache-dir', cache])).toEqual({
    code: 0,
    output: expect.stringMatching(/^Success: no issues found in \d+ source files\n$/) as string,
  });
});

const packed = where(WHAT_A_WHEEL_NEEDS);
packed.test(`the wheel of the Python client works where there is httpx and nothing else${packed.why}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-python-'));
  try {
    const made = spawnSync(process.execPath, [PACK, folder, packed.python], { encoding: 'utf8' });
    expect(made.stderr).toBe('');
    const wheel = made.stdout.trim();
    const run = (...args: readonly string[]) => runPython(packed.python, args);
    expect(await run('-m', 'venv', '--without-pip', join(folder, 'venv'))).toEqual({ code: 0, output: '' });
    const inside = join(folder, 'venv', 'bin', 'python');
    const { output } = await runPython(inside, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
    const site = output.trim();
    expect(await run('-m', 'zipfile', '-e', wheel, site)).toEqual({ code: 0, output: '' });
    await linkHttpx(packed.python, site);
    const program = `
import importlib.util, importlib.metadata as m
import market_state
from market_state import MarketState, verify_webhook, check_packet
print(market_state.__file__, m.version("market-state"))
print(sorted(need.translate(str.maketrans("", "", " ()")) for need in m.requires("market-state")))
print([name for name in ("pandas", "cryptography", "pyarrow", "numpy") if importlib.util.find_spec(name)])
try:
    MarketState("http://127.0.0.1:1").history("A", 0, 1).to_df()
except market_state.TransportError as error:
    print("asked", error.attempts)
try:
    import market_state.frames; market_state.frames.history_frame([])
except ImportError as error:
    print(error)
`;
    expect(await runPython(inside, ['-c', program])).toEqual({
      code: 0,
      output: [
        `${join(site, 'market_state/__init__.py')} 0.1.0`,
        `["cryptography>=38;extra=='verify'", 'httpx>=0.23', "pandas>=1.5;extra=='pandas'", ` +
          `"pandas>=1.5;extra=='parquet'", "pyarrow>=12;extra=='parquet'"]`,
        '[]',
        'asked 3',
        'Data frames need the package pandas: pip install "market-state[pandas]"',
        '',
      ].join('\n'),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Puts httpx and what it needs beside the client, from where the interpreter has them: nothing is fetched. */
async function linkHttpx(python: string, site: string): Promise<void> {
  const program = `
import sys, httpx
from pathlib import Path
httpx.Client().close()
for name in {name.split(".")[0] for name in list(sys.modules)}:
    file = getattr(sys.modules[name], "__file__", None)
    if file and "-packages" in file:
        print(Path(file).parent if file.endswith("__init__.py") else file)
`;
  const { code, output } = await runPython(python, ['-c', program]);
  expect(code).toBe(0);
  mkdirSync(site, { recursive: true });
  for (const path of new Set(output.trim().split('\n'))) symlinkSync(path, join(site, path.slice(path.lastIndexOf('/') + 1)));
}

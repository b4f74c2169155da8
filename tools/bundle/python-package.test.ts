import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { blocksOf, findPython, runPython } from '@market-state/testing';

const PACK = join(workspaceRoot(), 'tools', 'bundle', 'python-package-main.mjs');
const QUICKSTART = join(workspaceRoot(), 'docs', 'site', 'start', 'quickstart.md');

/** Tests are skipped, with missing modules named, if this machine has no suitable Python. */
const WHAT_TESTS_NEED = ['httpx', 'pandas', 'pytest', 'cryptography'];
const WHAT_PIP_NEEDS = ['pip', 'venv'];
/** setuptools before pip: importing them in the other order fails. */
const WHAT_A_BUILD_NEEDS = ['setuptools', 'wheel', 'pip'];

function where(modules: readonly string[]) {
  const python = findPython(modules);
  const why = `skipped, no Python with ${modules.join(', ')} (Debian: ${modules.map((name) => `python3-${name}`).join(' ')})`;
  return { test: python === null ? test.skip : test, python: python ?? '', why: python === null ? `: ${why}` : '' };
}

const tested = where(WHAT_TESTS_NEED);
tested.test(`the Python client passes its tests${tested.why}`, async () => {
  const { code, output } = await runPython(tested.python, ['-m', 'pytest', 'tests', '--ignore', 'tests/test_live.py']);
  // Only the file about polars, which Debian has no package of, may be skipped.
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^[0-9]+ passed(, 1 skipped)? in /m) as string });
});

const typed = where(['httpx', 'mypy']);
typed.test(`the Python client's types pass mypy in strict mode${typed.why}`, async () => {
  const cache = join(workspaceRoot(), 'node_modules', '.cache', 'mypy');
  expect(await runPython(typed.python, ['-m', 'mypy', '--cache-dir', cache])).toEqual({
    code: 0,
    output: expect.stringMatching(/^Success: no issues found in \d+ source files\n$/) as string,
  });
});

const packaged = where(WHAT_PIP_NEEDS);
packaged.test(`pip installs the wheel without an index, and the quickstart runs with only Python installed${packaged.why}`, async () => {
  const { folder, wheel } = makePackages();
  try {
    const run = (...args: readonly string[]) => runPython(packaged.python, args);
    expect(await run('-m', 'venv', '--without-pip', join(folder, 'venv'))).toEqual({ code: 0, output: '' });
    const inside = join(folder, 'venv', 'bin', 'python');
    const installed = await run(
      '-m',
      'pip',
      '--isolated',
      '--python',
      inside,
      'install',
      '--no-index',
      '--disable-pip-version-check',
      wheel,
    );
    expect(installed).toEqual({ code: 0, output: expect.stringContaining('Successfully installed market-state-0.1.0\n') as string });
    const [snippet] = blocksOf(readFileSync(QUICKSTART, 'utf8')).filter(({ language }) => language === 'python');
    const program = `
import importlib.util, importlib.metadata as m, os, sys
from player import Player
packet = {"state_label": "A", "severity": {"severity_class": "B"}, "confidence": {"label": "C"}}
with Player([{"headers": {"x-credits-charged": "1", "x-credits-remaining": "9"}, "body": {"rows": [packet]}}]) as player:
    exec(sys.argv[1].replace("{{base_url}}", player.url))
import market_state
print(market_state.__file__.startswith(sys.prefix), len(m.files("market-state")) > 50)
print([name for name in ("httpx", "pandas", "cryptography", "pyarrow", "numpy", "pip") if importlib.util.find_spec(name)])
try:
    market_state.AsyncMarketState
except ImportError as error:
    print(error)
try:
    import market_state.frames; market_state.frames.history_frame([])
except ImportError as error:
    print(error)
`;
    const env = { PYTHONPATH: 'tests', MARKET_STATE_API_KEY: 'msk_live_x' };
    expect(await runPython(inside, ['-c', program, snippet?.code ?? ''], env)).toEqual({
      code: 0,
      output: [
        'A B C',
        '1 credits, 9 left',
        'True True',
        '[]',
        'The asynchronous client needs the package httpx: pip install "market-state[async]"',
        'Data frames need the package pandas: pip install "market-state[pandas]"',
        '',
      ].join('\n'),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const built = where(WHAT_A_BUILD_NEEDS);
built.test(`the wheel equals what pip builds from the source distribution, and is reproducible${built.why}`, async () => {
  const { folder, wheel, sdist } = makePackages();
  const again = makePackages();
  try {
    for (const [path, other] of [
      [wheel, again.wheel],
      [sdist, again.sdist],
    ] as const)
      expect(readFileSync(path).equals(readFileSync(other))).toBe(true);
    const options = ['--isolated', 'wheel', '--no-index', '--no-build-isolation', '--no-deps', '--quiet', '-w', join(folder, 'built')];
    expect(await runPython(built.python, ['-m', 'pip', ...options, sdist])).toEqual({ code: 0, output: '' });
    const program = `
import email, json, re, sys, zipfile
from pathlib import Path
def content(path):
    with zipfile.ZipFile(path) as wheel:
        assert wheel.testzip() is None
        files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith(("RECORD", "WHEEL", "top_level.txt"))}
        (name,) = [name for name in files if name.endswith("METADATA")]
        facts = email.message_from_bytes(files.pop(name))
        return [sorted((key, re.sub(r"[ ()]", "", value)) for key, value in facts.items()), facts.get_payload().strip(), files]
ours, made = content(sys.argv[1]), content(next(Path(sys.argv[2]).iterdir()))
print(*(one == other for one, other in zip(ours, made)), len(made[2]) > 50)
`;
    expect(await runPython(built.python, ['-c', program, wheel, join(folder, 'built')])).toEqual({
      code: 0,
      output: 'True True True True\n',
    });
  } finally {
    for (const each of [folder, again.folder]) rmSync(each, { recursive: true, force: true });
  }
});

function makePackages() {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-python-'));
  const { stdout, stderr } = spawnSync(process.execPath, [PACK, folder], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const [wheel = '', sdist = ''] = stdout.split('\n');
  return { folder, wheel, sdist };
}

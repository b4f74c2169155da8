import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NX_ENV } from './build.mjs';

const WATCH_MS = 1_000;
/** Servers that tests started stop themselves within this time. */
const END_MS_MAX = 15_000;

/**
 * Runs every check and test with Nx: `nx run-many -t check test`. The last line is `N passed, N failed`: each test counts,
 * and so does each other task.
 * @param options of `nx run-many`, such as `--projects=labeler`
 */
export async function runTests(root, options, say) {
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'market-state-tests-')));
  // Postgres runs as an ordinary user where tests run as root.
  chmodSync(temporary, 0o711);
  const startedAt = new Date().toISOString();
  const args = ['run-many', '-t', 'check', 'test', '--outputStyle=static', ...options];
  const nx = spawn(process.execPath, [join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...NX_ENV, TMPDIR: temporary, MARKET_STATE_SHARED_TMPDIR: tmpdir() },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void nx.kill(signal));
  const started = watchDescendants(nx.pid);
  const code = await new Promise((resolve, reject) => {
    nx.once('error', reject);
    nx.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  const left = await started.end();
  for (const line of left) say(`FAIL  A process was left running: ${line}`);
  rmSync(temporary, { recursive: true, force: true });
  const total = countResults(root, startedAt, say);
  total.failed += left.length;
  if (code !== 0 && total.failed === 0) total.failed = 1;
  say(`${total.passed} passed, ${total.failed} failed${total.skipped === 0 ? '' : `, ${total.skipped} skipped`}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** Adds up what Nx recorded of this run's tasks and, for those that ran tests, their reports. */
function countResults(root, startedAt, say) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const { run, tasks } = readJson(join(root, '.nx', 'cache', 'run.json')) ?? {};
  if (run === undefined || run.startTime < startedAt) return { ...total, failed: 1 };
  for (const { taskId, target, projectName, status } of tasks) {
    if (status !== 0) say(`FAIL  ${taskId}`);
    const report = target === 'test' ? readReport(root, projectName) : undefined;
    if (report === undefined) {
      total[status === 0 ? 'passed' : 'failed'] += 1;
      continue;
    }
    total.passed += report.numPassedTests;
    total.skipped += report.numPendingTests + report.numTodoTests;
    // A file that cannot be loaded fails without a test.
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    total.failed += status === 0 ? failed : Math.max(1, failed);
  }
  return total;
}

function readReport(root, projectName) {
  const name = projectName.replace('@market-state/', '');
  const folder = ['apps', 'libs', 'libs/domain', 'libs/platform', 'tools'].find((parent) => existsSync(join(root, parent, name)));
  return folder === undefined ? undefined : readJson(join(root, 'dist', 'test-results', folder, `${name}.json`));
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Notes all processes that descend from one, while they run; `end` returns the command lines of those that do not end, killed. */
function watchDescendants(pid) {
  const known = new Map();
  const look = () => {
    const processes = readProcesses();
    const parents = new Set([pid, ...known.keys()]);
    for (let grew = true; grew; ) {
      grew = false;
      for (const one of processes.values()) {
        if (parents.has(one.pid) || !parents.has(one.parent)) continue;
        parents.add(one.pid);
        known.set(one.pid, one);
        grew = true;
      }
    }
    for (const [id, { startedAt }] of known) if (processes.get(id)?.startedAt !== startedAt) known.delete(id);
  };
  const timer = setInterval(look, WATCH_MS);
  return {
    async end() {
      clearInterval(timer);
      const until = performance.now() + END_MS_MAX;
      for (look(); known.size > 0 && performance.now() < until; look()) await delay(100);
      for (const id of known.keys()) process.kill(id, 'SIGKILL');
      return [...known.values()].map(({ command }) => command);
    },
  };
}

/** Running processes by pid; none on systems without /proc. */
function readProcesses() {
  const found = new Map();
  for (const name of existsSync('/proc/self/stat') ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name in parentheses may hold anything.
      const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      found.set(Number(name), { pid: Number(name), parent: Number(parent), startedAt: rest[17], command });
    } catch {
      // It ended in the meantime.
    }
  }
  return found;
}

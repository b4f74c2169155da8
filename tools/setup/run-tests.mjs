import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NX_ENV } from './build.mjs';

const END_MS_MAX = 15_000;

/** A run writes about 3 GB. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 6 * 1024 ** 3;

/**
 * Each test counts, and each other task.
 * @param options of `nx run-many`, such as `--projects=labeler`
 */
export async function runTests(root, options, say) {
  const temporary = realpathSync(mkdtempSync(join(temporaryFolder(), 'market-state-tests-')));
  // Postgres runs as an ordinary user where tests run as root.
  chmodSync(temporary, 0o711);
  const startedAt = new Date().toISOString();
  const args = ['run-many', '-t', 'check', 'test', '--outputStyle=static', ...options];
  const nx = spawn(process.execPath, [join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      ...NX_ENV,
      TMPDIR: temporary,
      MARKET_STATE_SHARED_TMPDIR: tmpdir(),
      NODE_COMPILE_CACHE: join(temporary, 'node-compile-cache'),
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void nx.kill(signal));
  const code = await new Promise((resolve, reject) => {
    nx.once('error', reject);
    nx.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  const left = await endProcesses(temporary);
  for (const line of left) say(`FAIL  A process was left running: ${line}`);
  rmSync(temporary, { recursive: true, force: true });
  const total = countResults(root, startedAt, say);
  total.failed += left.length;
  if (code !== 0 && total.failed === 0) total.failed = 1;
  say(`${total.passed} passed, ${total.failed} failed${total.skipped === 0 ? '' : `, ${total.skipped} skipped`}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/**
 * Creating a test database takes 30 ms of CPU in memory and 200 on ext4. Containers usually forbid starting programs
 * there.
 */
function temporaryFolder() {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.map((line) => line.split(' ')).find(([, folder, type]) => folder === MEMORY_FOLDER && type === 'tmpfs')?.[3];
    const available = /^MemAvailable: *(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const fits = Math.min(bavail * bsize, Number(available) * 1024) >= MEMORY_BYTES_MIN;
    return fits && options !== undefined && !options.split(',').includes('noexec') ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

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
    // A file that fails to load has no tests.
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

/** @returns command lines of processes that had to be killed */
async function endProcesses(folder) {
  const until = performance.now() + END_MS_MAX;
  let running = processesOf(folder);
  while (running.length > 0 && performance.now() < until) {
    await delay(200);
    running = processesOf(folder);
  }
  for (const { pid } of running) process.kill(pid, 'SIGKILL');
  return running.map(({ command }) => command);
}

/** Empty on systems without /proc. */
function processesOf(folder) {
  const found = [];
  for (const name of existsSync('/proc/self/environ') ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (command !== '' && `${command}\0${readFileSync(`/proc/${name}/environ`, 'utf8')}`.includes(folder))
        found.push({ pid: Number(name), command });
    } catch {
      // It has ended in the meantime, or belongs to another user.
    }
  }
  return found;
}

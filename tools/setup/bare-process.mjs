/** Runs inside the namespaces of bare-machine.mjs and writes the result as JSON. */
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const commandTimeoutMs = 90 * 60_000;
const leaveTimeoutMs = 5_000;
const pollMs = 100;

const { root, user, line, interruptAt, log, env } = JSON.parse(process.argv[2]);
mount('--rbind', '/dev', join(root, 'dev'));
mount('-t', 'proc', 'proc', join(root, 'proc'));
const startedAt = performance.now();
const outcome = await runCommand();
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const left = await processesLeft();
process.stdout.write(JSON.stringify({ ...outcome, passed: outcome.passed && left.length === 0, seconds, left }));

function mount(...args) {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function runCommand() {
  const args = [`--userspec=${user.id}:${user.id}`, root, '/bin/sh', '-c', `cd ~/market-state && ${line}`];
  // A separate group gets the signal, as a terminal's foreground group does.
  const child = spawn('/usr/sbin/chroot', args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log);
  let last = '';
  let reached = interruptAt === undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(file, { end: false });
    stream.setEncoding('utf8').on('data', (text) => {
      if (reached) return;
      last += text;
      reached = last.includes(interruptAt);
      if (reached) process.kill(-child.pid, 'SIGINT');
      last = last.slice(-interruptAt.length);
    });
  }
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), commandTimeoutMs);
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (...ending) => resolve(ending));
  });
  clearTimeout(timer);
  const ending = signal ?? `exit code ${code}`;
  if (interruptAt === undefined) return { passed: code === 0, outcome: ending };
  if (!reached) return { passed: false, outcome: `${ending} before "${interruptAt}"` };
  return { passed: [0, 130].includes(code) || signal === 'SIGINT', outcome: `${ending} after Ctrl-C` };
}

/** Ignores processes that end within a grace period. */
async function processesLeft() {
  const until = performance.now() + leaveTimeoutMs;
  for (;;) {
    const names = otherProcesses();
    if (names.length === 0 || performance.now() > until) return names;
    await delay(pollMs);
  }
}

function otherProcesses() {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== '1' && Number(name) !== process.pid);
  return ids.flatMap((id) => {
    try {
      const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'));
      return state === 'Z' ? [] : [name];
    } catch {
      return [];
    }
  });
}

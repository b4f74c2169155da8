import { once, EventEmitter } from 'node:events';
import { getPriority } from 'node:os';
import { identityOf } from '../src/process/registry';
import { supervise, type Clock, type ProcessEvent, type ProcessSpec, type SupervisedProcess } from '../src/process/supervise';

/** A manual clock. */
function createHandClock(): Clock & { advance(ms: number): void; delays: number[]; runNext(): void } {
  let nowMs = 0;
  const scheduled: (() => void)[] = [];
  const delays: number[] = [];
  return {
    delays,
    now: () => nowMs,
    advance: (ms) => void (nowMs += ms),
    after(delayMs, callback) {
      delays.push(delayMs);
      scheduled.push(callback);
      return () => void scheduled.splice(scheduled.indexOf(callback), 1);
    },
    runNext: () => scheduled.shift()?.(),
  };
}

const silentLog = { write: () => undefined, close: () => undefined };

const NICENESS = 7;

function specOf(script: string): ProcessSpec {
  const { execPath } = process;
  const args = ['-e', script];
  return { name: 'child', command: execPath, args, env: {}, cwd: '/', niceness: NICENESS, stopSignal: 'SIGTERM', stopTimeoutMs: 1_000 };
}

const children: SupervisedProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill()));

function run(script: string, clock: Clock): { child: SupervisedProcess; next: (kind: ProcessEvent['kind']) => Promise<ProcessEvent> } {
  const events = new EventEmitter();
  const child = supervise(specOf(script), silentLog, (event) => void events.emit(event.kind, event), clock);
  children.push(child);
  return { child, next: async (kind) => (await once(events, kind))[0] as ProcessEvent };
}

const stayUp = 'process.stdout.write("up\\n"); setInterval(() => undefined, 1000)';

test('a process that exits unexpectedly is restarted after 250 ms, doubling to 10 s', async () => {
  const clock = createHandClock();
  const { child, next } = run('process.exit(3)', clock);
  for (let crash = 0; crash < 8; crash += 1) {
    const event = await next('crashed');
    expect(event).toMatchObject({ cause: 'exit code 3' });
    if (crash < 7) clock.runNext();
  }
  expect(clock.delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(child.restarts).toBe(7);
  await child.stop();
});

test('a process has the niceness of its definition, also after a restart', async () => {
  const clock = createHandClock();
  const { child, next } = run(stayUp, clock);
  const niceness = async (): Promise<number> => {
    await next('output');
    return getPriority(child.pid as number);
  };
  expect(await niceness()).toBe(NICENESS);
  process.kill(child.pid as number, 'SIGKILL');
  await next('crashed');
  clock.runNext();
  expect(await niceness()).toBe(NICENESS);
  await child.stop();
});

test('a process that rejects its configuration is not restarted', async () => {
  const clock = createHandClock();
  const { child, next } = run('process.exit(78)', clock);
  expect(await next('refused')).toEqual({ kind: 'refused' });
  expect(clock.delays).toEqual([]);
  await child.stop();
});

test('after 2 s of running the delay resets to 250 ms', async () => {
  const clock = createHandClock();
  const { child, next } = run(stayUp, clock);
  for (const upMs of [0, 1_999, 2_000]) {
    await next('output');
    clock.advance(upMs);
    process.kill(child.pid as number, 'SIGKILL');
    expect(await next('crashed')).toMatchObject({ cause: 'SIGKILL' });
    clock.runNext();
  }
  await next('output');
  expect(clock.delays).toEqual([250, 500, 250]);
  await child.stop();
});

test("a crash is reported with the process's last lines", async () => {
  const { child, next } = run('console.log("one"); console.error("two"); process.exitCode = 1', createHandClock());
  const event = await next('crashed');
  expect(event.kind === 'crashed' ? [...event.lastLines].sort() : []).toEqual(['one', 'two']);
  await child.stop();
});

test('a process that takes too long to stop is killed', async () => {
  const clock = createHandClock();
  const { child, next } = run(`process.on("SIGTERM", () => console.log("asked")); ${stayUp}`, clock);
  expect(await next('output')).toEqual({ kind: 'output', line: 'up' });
  const stopped = child.stop();
  expect(await next('output')).toEqual({ kind: 'output', line: 'asked' });
  expect(clock.delays).toEqual([1_000]);
  clock.runNext();
  await stopped;
  expect(child.pid).toBeUndefined();
});

test('a stop between a crash and the next start cancels the start', async () => {
  const clock = createHandClock();
  const { child, next } = run('process.exit(1)', clock);
  await next('crashed');
  await child.stop();
  clock.runNext();
  expect(child.restarts).toBe(0);
});

test('children of a process do not outlive it', async () => {
  const grandchild = `require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })`;
  const { child, next } = run(
    `const { pid } = ${grandchild}; console.log(pid); process.on("SIGTERM", () => process.exit(0))`,
    createHandClock(),
  );
  const event = await next('output');
  const grandchildPid = Number(event.kind === 'output' ? event.line : NaN);
  expect(identityOf(grandchildPid)).toBeDefined();
  await child.stop();
  expect(identityOf(grandchildPid)).toBeUndefined();
});

test('a program that cannot be started counts as a crash', async () => {
  const clock = createHandClock();
  const seen: ProcessEvent[] = [];
  const spec = { ...specOf(''), command: '/nowhere/at-all' };
  const child = await new Promise<SupervisedProcess>((resolve) => {
    const made = supervise(
      spec,
      silentLog,
      (event) => {
        seen.push(event);
        resolve(made);
      },
      clock,
    );
  });
  expect(seen).toMatchObject([{ kind: 'crashed', cause: expect.stringContaining('ENOENT') }]);
  await child.stop();
});

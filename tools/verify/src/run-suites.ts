import { fork } from 'node:child_process';
import { once } from 'node:events';
import { useOwnTemporaryFolder, programFile } from '@market-state/launcher';
import { comesTrue, watchTree } from '@market-state/testing';
import { runSuite, type SuiteResult, untilInTime, type SuiteSettings } from './harness';
import { suites } from './suites';

/** How a suite went. */
export interface SuiteRun {
  readonly id: string;
  readonly form: 'short' | 'long';
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** Undefined when it was skipped. */
  readonly seed: number | undefined;
  /** Why it was skipped, or how many failures there are. */
  readonly note: string;
}

/** A table of the runs, and their totals. */
export function summaryOf(runs: readonly SuiteRun[]): string[] {
  const head = ['suite', 'form', 'result', 'seconds', 'seed', ''];
  const rows = runs.map(({ id, form, result, seconds, seed, note }) => [
    id,
    form,
    result,
    result === 'skipped' ? '' : seconds.toFixed(0),
    seed === undefined ? '' : String(seed),
    note,
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 3 || at === 4 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const total = (wanted: SuiteRun['result']): number => runs.filter(({ result }) => result === wanted).length;
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
  return [
    lineOf(head),
    ...rows.map(lineOf),
    `${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped, in ${seconds.toFixed(0)} s`,
  ];
}

/** What a suite's process is told to run. */
interface SuiteOrder {
  readonly id: string;
  readonly settings: Omit<SuiteSettings, 'say'>;
  /** How often it runs at most while nothing but its times is at fault, each time with the next seed. */
  readonly triesMax: number;
}

/** What it found, with the seed that it ended with. */
interface SuiteOutcome extends SuiteResult {
  readonly seed: number;
}

/** The argument that makes `dist/verify.cjs` the process of one suite. */
export const APART = '--apart';

/** Ends a suite that hangs. */
const SUITE_MS_MAX = { short: 1_800_000, long: 14_400_000 };
/** A suite's process that does not end at SIGTERM is killed. */
const END_MS_MAX = 10_000;
/** The warden gives what it ends 5 s. */
const LEFT_MS_MAX = 20_000;
const LOOK_MS = 250;

/**
 * Runs a suite in a process of its own, so that nothing of one suite is left in the next: a process that outlives the suite's own is a
 * failure, and is killed.
 */
export async function runApart(order: SuiteOrder, stop: AbortSignal): Promise<SuiteOutcome> {
  const child = fork(programFile('verify'), [APART], { execArgv: [], detached: true });
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  const tree = watchTree(child.pid ?? 0);
  const limitMs = SUITE_MS_MAX[order.settings.isShort ? 'short' : 'long'];
  let ended = '';
  const end = (why: string): void => {
    ended = why;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), END_MS_MAX).unref();
  };
  const limit = setTimeout(() => end(`The suite did not end within ${limitMs / 60_000} min.`), limitMs);
  const onStop = (): void => end('The suite was interrupted.');
  stop.addEventListener('abort', onStop);
  try {
    const outcome = await new Promise<SuiteOutcome>((resolve) => {
      const failed = (why: string): void =>
        resolve({ failures: [ended === '' ? why : ended], timing: [], figures: [], seed: order.settings.seed });
      child.once('message', (message) => resolve(message as SuiteOutcome));
      void exited.then(([code, signal]) => {
        const why = `The suite's process ended with ${signal ?? code} and no result.`;
        // What it sent last may still be on its way.
        if (child.connected) child.once('disconnect', () => failed(why));
        else failed(why);
      });
      child.send(order);
    });
    await exited;
    await comesTrue(() => tree.left().length === 0, { limitMs: LEFT_MS_MAX, everyMs: LOOK_MS });
    const left = tree.left();
    for (const { pid } of left) killIfThere(pid);
    return {
      ...outcome,
      failures: [...outcome.failures, ...left.map(({ pid, commandLine }) => `Process ${pid} was left: ${commandLine}`)],
    };
  } finally {
    stop.removeEventListener('abort', onStop);
    clearTimeout(limit);
    tree.stop();
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/**
 * Runs the suite that the parent process orders and sends it the outcome. Ends with the parent, and at a signal; what it started and owns
 * is then ended by its warden.
 */
export function runForParent(): void {
  useOwnTemporaryFolder();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  process.once('disconnect', () => process.exit(1));
  process.once('message', (order: SuiteOrder) => {
    void run(order)
      .catch((error: Error): SuiteOutcome => ({ failures: [textOf(error)], timing: [], figures: [], seed: order.settings.seed }))
      .then((outcome) => process.send?.(outcome, () => process.exit(0)));
  });
}

async function run({ id, settings, triesMax }: SuiteOrder): Promise<SuiteOutcome> {
  const suite = suites.find((one) => one.id === id);
  if (suite === undefined) throw new Error(`There is no suite ${id}.`);
  const { seed, ...result } = await untilInTime(triesMax, async (attempt): Promise<SuiteResult & { readonly seed: number }> => {
    const seed = settings.seed + attempt;
    const { failures, timing, figures } = await runSuite(suite, { ...settings, seed, say });
    return { failures, timing, figures, seed };
  });
  return { ...result, seed };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** With what it was caused by. */
function textOf(error: Error): string {
  return error.cause instanceof Error ? `${error.stack}\n${textOf(error.cause)}` : (error.stack ?? error.message);
}

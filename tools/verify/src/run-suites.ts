import { fork } from 'node:child_process';
import { once } from 'node:events';
import { useOwnTemporaryFolder, programFile } from '@market-state/launcher';
import { comesTrue, watchTree } from '@market-state/testing';
import { runSuite, type SuiteResult, untilInTime, type SuiteSettings } from './harness';
import { suites } from './suites';

export interface SuiteRun {
  readonly id: string;
  readonly form: 'short' | 'long';
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly seed: number | undefined;
  /** Reason for skipping, or number of failures. */
  readonly note: string;
}

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

interface SuiteOrder {
  readonly id: string;
  readonly settings: Omit<SuiteSettings, 'say'>;
  /** Maximum tries while only timing checks fail, each with the next seed. */
  readonly triesMax: number;
}

interface SuiteOutcome extends SuiteResult {
  readonly seed: number;
}

/** Argument that makes `dist/verify.cjs` the process of one suite. */
export const APART = '--apart';

const SUITE_MS_MAX = { short: 1_800_000, long: 14_400_000 };
const END_MS_MAX = 10_000;
/** The cleanup process allows 5 s for what it ends. */
const LEFT_MS_MAX = 20_000;
const LOOK_MS = 250;

/**
 * Runs a suite in its own process, so that suites do not affect each other: a process that outlives its suite is a
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
        // Its last message may still be in transit.
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
      failures: [...outcome.failures, ...left.map(({ pid, commandLine }) => `Process ${pid} was left running: ${commandLine}`)],
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
    // It has already exited.
  }
}

/**
 * Runs the suite ordered by the parent process and sends it the outcome. Exits with the parent or on a signal; a
 * separate process then ends what it started.
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
  if (suite === undefined) throw new Error(`Unknown suite ${id}.`);
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

function textOf(error: Error): string {
  return error.cause instanceof Error ? `${error.stack}\n${textOf(error.cause)}` : (error.stack ?? error.message);
}

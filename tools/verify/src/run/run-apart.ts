import { fork } from 'node:child_process';
import { once } from 'node:events';
import { programFile } from '@market-state/launcher';
import { comesTrue, watchTree } from '@market-state/testing';
import type { SuiteOrder, SuiteOutcome } from './order';

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

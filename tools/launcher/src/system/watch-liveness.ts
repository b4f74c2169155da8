import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { answersOk } from './readiness';
import type { RunningProcesses } from './run-processes';

const intervalMs = 1_000;
const answerTimeoutMs = 1_000;
/** A process that answered before and then does not for this long is considered hung. */
const silentMsMax = 4_000;

/** Kills hung processes, so that the supervisor restarts them. */
export function watchLiveness(
  processes: Pick<RunningProcesses, 'names' | 'portsOf' | 'process' | 'signal'>,
  say: (line: string) => void,
): Closable {
  /** Last successful answer of each process. */
  const alive = new Map<string, { readonly pid: number; readonly at: number }>();

  async function look(name: string, signal: AbortSignal): Promise<void> {
    const { pid } = processes.process(name);
    if (pid === undefined) return;
    const isAlive = await answersOk(`http://127.0.0.1:${processes.portsOf(name).ops}/livez`, answerTimeoutMs, signal);
    if (signal.aborted || processes.process(name).pid !== pid) return;
    if (isAlive) alive.set(name, { pid, at: performance.now() });
    const last = alive.get(name);
    if (last?.pid !== pid || performance.now() - last.at < silentMsMax) return;
    say(`${name} has not answered for ${silentMsMax / 1_000} s: it is killed, and starts again.`);
    processes.signal(name, 'SIGKILL');
  }

  return repeatUntilClosed((signal) => Promise.all(processes.names.map((name) => look(name, signal))), {
    intervalMs,
    onError: (error) => say(String(error)),
  });
}

import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { timeLimit, waitFor, type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { RunningProcesses } from './run-processes';

const answerTimeoutMs = 2_000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Uses `http.get`, which costs less than `fetch`: every process is requested many times a second. */
function answerOf(url: string, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const limit = timeLimit(timeoutMs);
    get(url, { agent: false, signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject);
    }).on('error', reject);
  });
}

/** Progress of a history, as in the body of `/readyz`. */
interface Filling {
  readonly symbol: string;
  readonly reached_utc: string;
  readonly filled_share: number;
}

interface ReadinessBody {
  readonly checks?: Readonly<Record<string, boolean>>;
  readonly filling?: readonly Filling[];
}

/** Rejects unless it answers 200 or 503. */
async function readinessOf(url: string): Promise<ReadinessBody> {
  return JSON.parse((await answerOf(url, answerTimeoutMs)).text) as ReadinessBody;
}

async function answersOk(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  return answerOf(url, timeoutMs, signal).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** @throws the signal's reason if it aborts first */
export async function waitForOk(url: string, signal: AbortSignal): Promise<void> {
  const probe = async (): Promise<void> => {
    if (!(await answersOk(url, answerTimeoutMs, signal))) throw new Error(`${url} did not answer 200.`);
  };
  await waitFor(url, probe, { signal, minDelayMs: 20, maxDelayMs: 100 });
}

/** Histories that are being filled according to this `/readyz`; empty once they are complete. */
async function fillingAt(url: string): Promise<readonly Filling[]> {
  return (await readinessOf(url)).filling ?? [];
}

/** @throws the signal's reason if it aborts first */
export async function waitForHistory(url: string, signal: AbortSignal): Promise<void> {
  const probe = async (): Promise<void> => {
    const { status, text: body } = await answerOf(url, answerTimeoutMs, signal);
    const { filling = [] } = JSON.parse(body) as ReadinessBody;
    if (status !== 200 || filling.length > 0)
      throw new Error(`${url}: ${status}, filling ${filling.map(({ symbol }) => symbol).join(', ')}.`);
  };
  await waitFor(url, probe, { signal, minDelayMs: 20, maxDelayMs: 500 });
}

const intervalMs = 1_000;
const livenessTimeoutMs = 1_000;
/** A process silent for this long, after it had answered, is considered hung. */
const silentMsMax = 4_000;

export function watchLiveness(
  processes: Pick<RunningProcesses, 'names' | 'portsOf' | 'process' | 'signal'>,
  say: (line: string) => void,
): Closable {
  const alive = new Map<string, { readonly pid: number; readonly at: number }>();

  async function look(name: string, signal: AbortSignal): Promise<void> {
    const { pid } = processes.process(name);
    if (pid === undefined) return;
    const isAlive = await answersOk(`http://127.0.0.1:${processes.portsOf(name).ops}/livez`, livenessTimeoutMs, signal);
    if (signal.aborted || processes.process(name).pid !== pid) return;
    if (isAlive) alive.set(name, { pid, at: performance.now() });
    const last = alive.get(name);
    if (last?.pid !== pid || performance.now() - last.at < silentMsMax) return;
    say(`${name} has not answered for ${silentMsMax / 1_000} s: killing and restarting it.`);
    processes.signal(name, 'SIGKILL');
  }

  return repeatUntilClosed((signal) => Promise.all(processes.names.map((name) => look(name, signal))), {
    intervalMs,
    onError: (error) => say(String(error)),
  });
}

const reminderMs = 5_000;

/**
 * Reports each process that becomes ready, and every 5 s the pending ones.
 * @throws the signal's reason if it aborts first
 */
export async function watchReadiness(processes: RunningProcesses, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const waiting = new Set(processes.names);
  const remind = async (): Promise<void> => {
    const reasons = await Promise.all([...waiting].map(async (name) => `${name}${await missingAt(readyPage(processes, name))}`));
    if (reasons.length > 0) say(`Waiting for ${reasons.join(', ')}.`);
  };
  const reminder = setInterval(() => void remind(), reminderMs);
  try {
    await Promise.all(
      processes.names.map(async (name) => {
        await waitForOk(readyPage(processes, name), signal);
        waiting.delete(name);
        say(`${name} ready: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
      }),
    );
  } finally {
    clearInterval(reminder);
  }
}

/**
 * Reports the progress of histories every 5 s, and when all are filled.
 * @param url of the gateway
 * @returns true if any was being filled
 * @throws the signal's reason if it aborts first
 */
export async function watchHistory(url: string, say: (line: string) => void, signal: AbortSignal): Promise<boolean> {
  const readyUrl = `${url}/readyz`;
  const report = async (): Promise<boolean> => {
    const filling = await fillingAt(readyUrl).catch(() => []);
    if (filling.length > 0 && !signal.aborted) say(`Filling the history: ${filling.map(progressOf).join(', ')}.`);
    return filling.length > 0;
  };
  if (!(await report())) return false;
  const reminder = setInterval(() => void report(), reminderMs);
  try {
    await waitForHistory(readyUrl, signal);
  } finally {
    clearInterval(reminder);
  }
  return true;
}

/** For example `BTCUSD-PERP 41 % (to 15:23:10 UTC)`. */
function progressOf({ symbol, filled_share: share, reached_utc: reached }: Filling): string {
  return `${symbol} ${Math.floor(share * 100)} % (to ${reached.slice(11, 19)} UTC)`;
}

/** Failing checks in parentheses; otherwise empty. */
async function missingAt(url: string): Promise<string> {
  try {
    const { checks = {} } = await readinessOf(url);
    const missing = Object.keys(checks).filter((check) => checks[check] === false);
    return missing.length === 0 ? '' : ` (${missing.join(', ')})`;
  } catch {
    return '';
  }
}

function readyPage(processes: RunningProcesses, name: string): string {
  return `http://127.0.0.1:${processes.portsOf(name).ops}/readyz`;
}

import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { feed } from '@market-state/contracts';
import { type RpcIdentity, createClient } from '@market-state/grpc';
import { timeLimit, waitFor, type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { RunningProcesses } from './run-processes';

const answerTimeoutMs = 2_000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** By `http.get`, which costs a fifth of a `fetch`: every process is requested many times a second. */
function answerOf(url: string, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const limit = timeLimit(timeoutMs);
    get(url, { agent: false, signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject);
    }).on('error', reject);
  });
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

/**
 * For example `BTCUSD-PERP to 15:23:10, current time 16:40:12 UTC`. Empty if nothing is being filled, or without an
 * answer.
 */
async function historyProgress(address: string, identity: RpcIdentity, nowMs: number): Promise<string> {
  const client = createClient({
    definition: feed.FeedServiceService,
    address,
    peer: identity.to('data-plane-feed'),
    deadlineMs: answerTimeoutMs,
  });
  try {
    const { symbols } = await client.call.getFeedState({});
    const filling = symbols.filter(({ phase, feedClockMs }) => phase === 'priming' && feedClockMs > 0);
    if (filling.length === 0) return '';
    return [
      ...filling.map(({ symbol, feedClockMs }) => `${symbol} to ${timeOfDay(feedClockMs)}`),
      `current time ${timeOfDay(nowMs)} UTC`,
    ].join(', ');
  } catch {
    return '';
  } finally {
    await client.close();
  }
}

function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

const reminderMs = 5_000;
/** Fills the history before it plays on. */
const feedName = 'data-plane-feed';

/**
 * Reports each process that becomes ready, and every 5 s the history's progress or the pending processes.
 * @throws the signal's reason if it aborts first
 */
export async function watchReadiness(
  processes: RunningProcesses,
  identity: RpcIdentity,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const waiting = new Set(processes.names);
  const remind = async (): Promise<void> => {
    const progress = waiting.has(feedName)
      ? await historyProgress(`127.0.0.1:${processes.portsOf(feedName).grpc}`, identity, Date.now())
      : '';
    if (progress !== '') return say(`Filling the history: ${progress}.`);
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

/** Failing checks in parentheses; otherwise empty. */
async function missingAt(url: string): Promise<string> {
  try {
    const { checks = {} } = JSON.parse((await answerOf(url, answerTimeoutMs)).text) as { checks?: Record<string, boolean> };
    const missing = Object.keys(checks).filter((check) => checks[check] === false);
    return missing.length === 0 ? '' : ` (${missing.join(', ')})`;
  } catch {
    return '';
  }
}

function readyPage(processes: RunningProcesses, name: string): string {
  return `http://127.0.0.1:${processes.portsOf(name).ops}/readyz`;
}

import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, userProgramFile } from '@market-state/launcher';
import { type Closer, runUntilClosed, timeLimit } from '@market-state/lifecycle';
import { endProcess, spawnOwned, type System, waitUntil } from '@market-state/testing';

const LATEST = '/api/public/market-state/latest';
const STREAM = '/api/public/market-state/stream?symbol=BTCUSD-PERP';
const JOBS = '/api/public/data/export/jobs';
const ANSWER_MS_MAX = 20_000;
const ENDED_MS_MAX = 120_000;
const CALLS_EVERY_MS = 50;
const MINUTE_MS = 60_000;

/** A caller of the system: reads the newest packet, twenty times a second, until the suite ends. */
export function keepReading(closer: Closer, { url }: System, key: string): void {
  const reading = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      // What a call is answered is for the alerts to say.
      await fetch(`${url}${LATEST}`, { headers: { 'x-market-state-api-key': key }, signal: timeLimit(ANSWER_MS_MAX) })
        .then((answer) => answer.arrayBuffer())
        .catch(() => undefined);
      await delay(CALLS_EVERY_MS);
    }
  });
  closer.add('reader', () => reading.close());
}

/** A reader of the stream of packets, until the suite ends. */
export function keepStreaming(closer: Closer, { url }: System, key: string): void {
  const streaming = runUntilClosed(async (signal) => {
    try {
      const { body } = await fetch(`${url}${STREAM}`, { headers: { 'x-market-state-api-key': key }, signal });
      await body?.pipeTo(new WritableStream());
    } catch {
      // The end of the suite ends it; that it was open is for the metrics to say.
    }
  });
  closer.add('stream', () => streaming.close());
}

/** Orders an export and waits for its files, and downloads one of them. */
export async function exportRows({ url }: System, key: string): Promise<void> {
  const ask = async (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...options,
      headers: { 'x-market-state-api-key': key, 'content-type': 'application/json' },
      signal: timeLimit(ANSWER_MS_MAX),
    });
  const nowMs = Date.now();
  const [from, to] = [nowMs - 5 * MINUTE_MS, nowMs - MINUTE_MS].map((ms) => new Date(ms).toISOString());
  const body = JSON.stringify({ dataset: 'trades', symbols: ['BTCUSD-PERP'], format: 'csv', from, to });
  const answer = await ask(JOBS, { method: 'POST', body });
  const { job_id: jobId } = (await answer.json()) as { job_id?: string };
  if (jobId === undefined) throw new Error(`An export was answered with ${answer.status}.`);
  const isReady = async () => ((await (await ask(`${JOBS}/${jobId}`)).json()) as { status: string }).status === 'ready';
  await waitUntil('the files of an export', isReady, ENDED_MS_MAX);
  const { files } = (await (await ask(`${JOBS}/${jobId}/result`)).json()) as { files: readonly { download_route: string }[] };
  await (await ask(files[0]?.download_route ?? '')).arrayBuffer();
}

/** Starts a receiver of webhooks and runs the commands that it prints: an endpoint, its test, an alert. */
export async function receiveWebhooks(closer: Closer, { dataDir }: System): Promise<void> {
  const program = userProgramFile();
  const args = [program, 'listen', '--serve', String(await freePort()), '--data-dir', dataDir];
  const receiver = spawnOwned(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  receiver.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  closer.add('receiver', () => endProcess(receiver, 'SIGINT'));
  const commands = await waitUntil('the commands of the receiver', () => {
    const found = printed.split('\n').filter((line) => line.startsWith('  curl '));
    return found.length === 3 && found;
  });
  for (const command of commands) await promisify(execFile)('/bin/sh', ['-c', command], { timeout: ENDED_MS_MAX });
}

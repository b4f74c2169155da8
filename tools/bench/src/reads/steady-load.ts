import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Asked {
  readonly path: string;
  /** From the instant at which it was due to its last byte, milliseconds. */
  readonly ms: number;
  /** 0 where no answer came. */
  readonly status: number;
  readonly bytes: number;
}

export type RequestHeaders = Readonly<Record<string, string>>;

/** Reads an address to its end; anew where the server closed a kept connection just as it was taken for this. */
export function ask(agent: Agent, url: string, headers: RequestHeaders): Promise<{ readonly status: number; readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, headers, timeout: 30_000 }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }));
      answer.on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${url} did not answer in 30 s`)));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(ask(agent, url, headers));
      else reject(error);
    });
    outgoing.end();
  });
}

/**
 * Asks the addresses in turn, with the headers of one caller after the other, each when it is due and whether or not earlier ones have been
 * answered: what waits because the server is slow counts from when it should have been sent.
 */
export async function steadyLoad(
  url: string,
  targets: readonly { readonly path: string; readonly address: string }[],
  headers: readonly RequestHeaders[],
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
): Promise<readonly Asked[]> {
  const agent = new Agent({ keepAlive: true });
  const asked: Promise<Asked>[] = [];
  const startMs = performance.now();
  for (let index = 0; index < (durationMs * perSecond) / 1_000; index += 1) {
    const target = targets[index % targets.length];
    if (target === undefined) break;
    const dueMs = startMs + (index * 1_000) / perSecond;
    const early = dueMs - performance.now();
    if (early > 1) await delay(early);
    const answered = ask(agent, url + target.address, headers[index % headers.length] ?? {}).catch(() => ({ status: 0, bytes: 0 }));
    asked.push(answered.then(({ status, bytes }) => ({ path: target.path, ms: performance.now() - dueMs, status, bytes })));
  }
  const answers = await Promise.all(asked);
  agent.destroy();
  return answers;
}

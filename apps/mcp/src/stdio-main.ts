import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server';
import { type Caller, openSession } from './session';

export interface StdioOptions extends Pick<Caller, 'baseUrl' | 'apiKey' | 'allowExports'> {
  /** Total. */
  readonly maxCredits: number;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Errors must not go to stdout. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Runs until the client closes the streams or the signal aborts. */
export async function serveOverStdio({ stdin, stdout, say, signal, ...caller }: StdioOptions): Promise<void> {
  let callTotal = 0;
  const session = openSession({ ...caller, requestId: () => `stdio-${process.pid}-${(callTotal += 1)}` });
  const transport = new StdioServerTransport(stdin, stdout);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(() => createServer(session, (error, tool) => say(`${tool} failed: ${String(error)}`)), {
    transport,
    onerror: (error) => say(`message refused: ${error.message}`),
  });
  await ended;
  await handle.close();
}

import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { badInput } from '../cli-error';

/** Over three times what a message may have. */
const BODY_BYTES_MAX = 64 * 1_024;
/** Time for a request to arrive whole. */
const REQUEST_MS_MAX = 10_000;

/** Decides on a delivery, with its exact bytes: the status to answer, or `hang` for no answer. */
export type TakeDelivery = (body: Buffer, headers: IncomingHttpHeaders) => number | 'hang';

export interface ReceiverOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface Receiver {
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Serves https on this machine alone. What is no POST is 405, a body over 64 KiB 413.
 * @throws CliError when the port is taken
 */
export async function startReceiver({ port, certificate, key }: ReceiverOptions, take: TakeDelivery): Promise<Receiver> {
  const server = createServer({ cert: certificate, key, requestTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: REQUEST_MS_MAX / 2 });
  server.on('request', (request, response) => void answer(request, response, take).catch(() => response.destroy()));
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw badInput(`port ${port} cannot be used: ${(error as Error).message}`);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, take: TakeDelivery): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  const body = await bodyOf(request);
  const status = body === undefined ? 413 : take(body, request.headers);
  if (status !== 'hang') response.writeHead(status).end();
}

/** The bytes as they came: a signature is over these, and not over what a parser makes of them. Undefined when there are too many. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return sizeBytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks);
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import type { Closer } from '@market-state/lifecycle';
import { oneOf } from '@market-state/testing';
import { Webhook } from 'standardwebhooks';

const DAY_MS = 86_400_000;
const OK = 204;
/** A slow body arrives one byte at a time and never completes in time. */
const DRIP_MS = 200;

/** Behavior of a receiver; all except `ok` and `gone` occur at random. */
export type Deed = 'ok' | 'gone' | 'error' | 'redirect' | 'busy' | 'reset' | 'hang' | 'slow_body';

const FAULTS = ['error', 'redirect', 'busy', 'reset', 'error', 'redirect', 'busy', 'reset', 'hang', 'slow_body'] as const;

const CLASS_OF: Readonly<Record<Deed, string>> = {
  ok: 'ok',
  gone: 'status_410',
  error: 'status_500',
  redirect: 'status_302',
  busy: 'status_429',
  reset: 'reset',
  hang: 'timeout',
  slow_body: 'timeout',
};

export interface Arrived {
  readonly messageId: string;
  readonly endpointId: string;
  readonly outcome: string;
  readonly digest: string;
  /** Reason that the signature is invalid, or empty. */
  readonly fault: string;
  readonly isOfNewest: boolean;
}

/** Customer endpoints on this machine, over TLS, that fail at random and verify requests with the reference library. */
export interface Receivers {
  readonly ca: string;
  readonly arrived: readonly Arrived[];
  urlOf(name: string): string;
  /** Registers an endpoint's id and the secrets that must verify; the first must always. */
  know(name: string, endpointId: string, secret: string): void;
  addSecret(name: string, secret: string): void;
  /** Sets the behavior for every message; undefined restores random behavior. */
  setDeed(name: string, deed: Deed | undefined): void;
}

interface Receiver {
  endpointId: string;
  secrets: string[];
  deed: Deed | undefined;
}

/** @param faultShare share of failing requests, tests excluded, 0 to 1 */
export async function openReceivers(closer: Closer, faultShare: number, random: () => number): Promise<Receivers> {
  const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
  const authority = await makeAuthority('Receivers of the suite', validity);
  const { certificate, key } = await makeServiceCertificate(authority, { name: 'localhost', ...validity });
  const receivers = new Map<string, Receiver>();
  const arrived: Arrived[] = [];
  const receiverOf = (name: string): Receiver => {
    const known = receivers.get(name) ?? { endpointId: '', secrets: [], deed: undefined };
    receivers.set(name, known);
    return known;
  };

  function chooseDeed(receiver: Receiver, kind: unknown): Deed {
    if (kind === 'webhook.test') return 'ok';
    if (receiver.deed !== undefined) return receiver.deed;
    return random() < faultShare ? oneOf(FAULTS, random) : 'ok';
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const receiver = receiverOf((request.url ?? '').slice(1));
    const headers = request.headers as Record<string, string>;
    const deed = chooseDeed(receiver, kindOf(body));
    arrived.push({
      messageId: headers['webhook-id'] ?? '',
      endpointId: receiver.endpointId,
      outcome: CLASS_OF[deed],
      digest: createHash('sha256').update(body).digest('hex'),
      fault: signatureFault(receiver.secrets[0], body, headers),
      isOfNewest: signatureFault(receiver.secrets.at(-1), body, headers) === '',
    });
    answer(response, deed);
  }

  const server = createServer({ cert: certificate, key }, (request, response) => void take(request, response).catch(() => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closer.add('receivers', async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    ca: authority.certificate,
    arrived,
    urlOf: (name) => `https://localhost:${port}/${name}`,
    know: (name, endpointId, secret) => Object.assign(receiverOf(name), { endpointId, secrets: [secret] }),
    addSecret: (name, secret) => void receiverOf(name).secrets.push(secret),
    setDeed: (name, deed) => void (receiverOf(name).deed = deed),
  };
}

function kindOf(body: Buffer): unknown {
  return (JSON.parse(body.toString('utf8')) as { type?: unknown }).type;
}

function signatureFault(secret: string | undefined, body: Buffer, headers: Record<string, string>): string {
  if (secret === undefined) return 'there is no secret';
  try {
    new Webhook(secret).verify(body.toString('utf8'), headers);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : 'it was refused';
  }
}

function answer(response: ServerResponse, deed: Deed): void {
  switch (deed) {
    case 'ok':
      return void response.writeHead(OK).end();
    case 'gone':
      return void response.writeHead(410).end();
    case 'error':
      return void response.writeHead(500).end('a fault of the receiver');
    case 'redirect':
      return void response.writeHead(302, { location: 'https://localhost/elsewhere' }).end();
    case 'busy':
      return void response.writeHead(429, { 'retry-after': '1' }).end();
    case 'reset':
      return void response.socket?.destroy();
    case 'hang':
      return;
    case 'slow_body': {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), DRIP_MS);
      response.on('close', () => clearInterval(drip));
    }
  }
}

import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { parseAddress } from './addresses/ranges';
import { readBody, retryAfterSeconds, snippetOf } from './read-answer';
import type { VettedAddress } from './resolve-target';

const HEADER_BYTES_MAX = 16_384;

/** How an attempt failed once its addresses were vetted. */
export type Failure = 'timeout' | 'guard' | 'tls' | 'connect' | 'reset' | 'too_large';

export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Not empty; nothing else is dialled. */
  readonly addresses: readonly VettedAddress[];
  /** Says which authorities are trusted. */
  readonly agent: Agent;
  /** How long TCP and TLS may take together. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/** The answer's parts as far as they came, and how the attempt failed if it did. */
export interface Posted {
  readonly failure?: Failure;
  readonly reason?: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly snippet: string;
  readonly address?: string;
}

/** How far a connection has come. */
interface Progress {
  stage: 'connecting' | 'securing' | 'secured' | 'refused' | 'late';
  address?: string;
}

/** Posts a body over a new connection to one of the addresses; reads at most 16 KiB of the answer. Rejects for invalid headers alone. */
export async function post(options: PostOptions): Promise<Posted> {
  const { url, headers, body, addresses, agent, signal } = options;
  const outgoing = request({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    servername: url.hostname,
    port: url.port === '' ? 443 : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'content-length': String(body.length), 'accept-encoding': 'identity' },
    agent,
    lookup: lookupAmong(addresses),
    maxHeaderSize: HEADER_BYTES_MAX,
    rejectUnauthorized: true,
    signal,
  });
  const progress = follow(outgoing, options);
  let answer: IncomingMessage | undefined;
  try {
    outgoing.end(body);
    [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const snippet = snippetOf(await readBody(answer));
    return { ...partsOf(answer, progress), snippet };
  } catch (error) {
    return { ...partsOf(answer, progress), snippet: '', ...failureOf(error as NodeJS.ErrnoException, progress, signal) };
  } finally {
    outgoing.on('error', () => undefined);
    outgoing.destroy();
  }
}

/** Gives the vetted addresses, whatever is asked. */
function lookupAmong(addresses: readonly VettedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Compares the connected address before a byte of the request is sent, and ends a connection that takes too long. */
function follow(outgoing: ClientRequest, { addresses, connectMs }: PostOptions): Progress {
  const progress: Progress = { stage: 'connecting' };
  outgoing.once('socket', (socket) => {
    const timer = setTimeout(() => {
      progress.stage = 'late';
      outgoing.destroy(new Error('not connected in time'));
    }, connectMs);
    socket.once('connect', () => {
      progress.stage = 'securing';
      progress.address = socket.remoteAddress;
      if (addresses.some(({ address }) => isSame(address, socket.remoteAddress))) return;
      progress.stage = 'refused';
      outgoing.destroy(new Error('connected to another address'));
    });
    (socket as TLSSocket).once('secureConnect', () => {
      progress.stage = 'secured';
      clearTimeout(timer);
    });
    socket.once('close', () => clearTimeout(timer));
  });
  return progress;
}

function isSame(vetted: string, connected: string | undefined): boolean {
  const [one, other] = [parseAddress(vetted), parseAddress(connected ?? '')];
  return one !== null && one.family === other?.family && one.value === other.value;
}

function partsOf(answer: IncomingMessage | undefined, { address }: Progress): Omit<Posted, 'snippet'> {
  return {
    status: answer?.statusCode,
    retryAfterSeconds: retryAfterSeconds(answer?.headers['retry-after'], Date.now()),
    address,
  };
}

function failureOf(error: NodeJS.ErrnoException, { stage }: Progress, signal: AbortSignal): Pick<Posted, 'failure' | 'reason'> {
  if (stage === 'refused') return { failure: 'guard', reason: 'address_not_vetted' };
  if (stage === 'late' || signal.aborted) return { failure: 'timeout' };
  if (stage === 'connecting') return { failure: 'connect' };
  if (error.code === 'HPE_HEADER_OVERFLOW') return { failure: 'too_large' };
  return { failure: stage === 'securing' && error.code !== 'ECONNRESET' ? 'tls' : 'reset' };
}

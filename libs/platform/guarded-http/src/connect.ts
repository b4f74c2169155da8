import type { LookupFunction } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { isSame, parseAddress } from './addresses';
import type { VettedAddress } from './check-target';

const TLS_SESSIONS_MAX = 1_000;
const UNDICI_ERROR = /^(?:UND_ERR|HPE)_/;

export interface Destination {
  readonly url: URL;
  /** Only these are dialled. */
  readonly addresses: readonly VettedAddress[];
  /** Cancels the connection, reported as `timeout`. */
  readonly signal: AbortSignal;
}

export interface Connection {
  readonly socket: TLSSocket;
  readonly address: string;
  readonly connectedMs: number;
}

export interface NotConnected {
  readonly failure: 'timeout' | 'guard' | 'tls' | 'connect' | 'reset';
  readonly reason?: string;
  readonly address?: string;
}

/**
 * The connector resumes the host's TLS session; it returns failures and never rejects. `ca` is a PEM authority trusted in addition to
 * Node's own; `connectMs` limits TCP and TLS together. undici's connector is unsuitable: it fixes addresses at creation, and its timeout is
 * up to a second late.
 */
export function createConnector({ ca, connectMs }: { ca?: string; connectMs: number }, monotonicMs: () => number) {
  // Created once: loading the authorities takes twenty times as long as a delivery.
  const secureContext = createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] });
  const sessions = new LRUCache<string, Buffer>({ max: TLS_SESSIONS_MAX });

  return ({ url, addresses, signal }: Destination): Promise<Connection | NotConnected> =>
    new Promise((resolve) => {
      let isConnected = false;
      let address: string | undefined;
      const socket = connectTls({
        host: url.hostname,
        servername: url.hostname,
        port: url.port === '' ? 443 : Number(url.port),
        lookup: lookupAmong(addresses),
        secureContext,
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
      });
      // Passed as an option, the session would be parsed twice, a fifth of the cost of a connection. Missing in Node's types.
      const session = sessions.get(url.host);
      if (session !== undefined) (socket as TLSSocket & { setSession(session: Buffer): void }).setSession(session);
      socket.setNoDelay();
      const giveUp = (): void => fail('timeout');
      const timer = setTimeout(giveUp, connectMs);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();

      function settle(result: Connection | NotConnected): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(result);
      }

      function fail(failure: NotConnected['failure'], reason?: string): void {
        settle({ failure, reason, address });
        socket.destroy();
      }

      socket.on('session', (received) => sessions.set(url.host, received));
      socket.once('connect', () => {
        isConnected = true;
        address = socket.remoteAddress;
        if (!isAmong(addresses, address)) fail('guard', 'address_not_vetted');
      });
      socket.once('secureConnect', () => settle({ socket, address: address ?? '', connectedMs: monotonicMs() }));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // A session that the host no longer accepts must not fail the next connection; undici's own errors do not
        // indicate that.
        if (!UNDICI_ERROR.test(error.code ?? '')) sessions.delete(url.host);
        if (!isConnected) fail('connect');
        else fail(error.code === 'ECONNRESET' ? 'reset' : 'tls');
      });
      socket.once('close', () => fail(isConnected ? 'reset' : 'connect'));
    });
}

/** Compares addresses regardless of notation. */
export function isAmong(addresses: readonly VettedAddress[], connected: string | undefined): boolean {
  const other = parseAddress(connected ?? '');
  return addresses.some(({ address }) => {
    const one = parseAddress(address);
    return one !== null && other !== null && isSame(one, other);
  });
}

function lookupAmong(addresses: readonly VettedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

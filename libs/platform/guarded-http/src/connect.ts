import type { LookupFunction } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls';
import { parseAddress } from './addresses/ranges';
import type { VettedAddress } from './resolve-target';

const TLS_SESSIONS_MAX = 1_000;

export interface ConnectorOptions {
  /** Authority, in PEM, that is trusted beside Node's own. */
  readonly ca?: string;
  /** How long TCP and TLS may take together. */
  readonly connectMs: number;
}

/** Where to connect to. */
export interface Destination {
  readonly url: URL;
  /** Not empty; nothing else is dialled. */
  readonly addresses: readonly VettedAddress[];
  /** Gives the connection up, as `timeout`. */
  readonly signal: AbortSignal;
}

/** A connection over verified TLS to a vetted address. */
export interface Connection {
  readonly socket: TLSSocket;
  /** The address that was connected. */
  readonly address: string;
  /** By the monotonic clock. */
  readonly connectedMs: number;
}

/** What Node has and its types leave out. */
interface ResumingSocket extends TLSSocket {
  setSession(session: Buffer): void;
}

export interface NotConnected {
  readonly failure: 'timeout' | 'guard' | 'tls' | 'connect' | 'reset';
  readonly reason?: string;
  readonly address?: string;
}

/** Opens a connection, or says why there is none. Never rejects. */
export type Connector = (destination: Destination) => Promise<Connection | NotConnected>;

/** A connector that resumes TLS sessions of hosts that it has been connected to. */
export function createConnector({ ca, connectMs }: ConnectorOptions, monotonicMs: () => number): Connector {
  // Made once: reading the authorities takes twenty times as long as a delivery.
  const secureContext = createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] });
  const sessions = new Map<string, Buffer>();

  function keepSession(host: string, session: Buffer): void {
    sessions.delete(host);
    sessions.set(host, session);
    const [oldest] = sessions.keys();
    if (sessions.size > TLS_SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest);
  }

  return ({ url, addresses, signal }) =>
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
      // Not as an option: it would be parsed twice, which is a fifth of what a connection costs.
      const session = sessions.get(url.host);
      if (session !== undefined) (socket as ResumingSocket).setSession(session);
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

      socket.on('session', (session) => keepSession(url.host, session));
      socket.once('connect', () => {
        isConnected = true;
        address = socket.remoteAddress;
        if (!isAmong(addresses, address)) fail('guard', 'address_not_vetted');
      });
      socket.once('secureConnect', () => settle({ socket, address: address ?? '', connectedMs: monotonicMs() }));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // A session that the host no longer takes to must not stand in the way of the next connection.
        sessions.delete(url.host);
        if (!isConnected) fail('connect');
        else fail(error.code === 'ECONNRESET' ? 'reset' : 'tls');
      });
      socket.once('close', () => fail(isConnected ? 'reset' : 'connect'));
    });
}

/** Whether a connected address is one of those that were vetted, however it is written. */
export function isAmong(addresses: readonly VettedAddress[], connected: string | undefined): boolean {
  const other = parseAddress(connected ?? '');
  return addresses.some(({ address }) => {
    const one = parseAddress(address);
    return one !== null && one.family === other?.family && one.value === other.value;
  });
}

/** Gives the vetted addresses, whatever is asked. */
function lookupAmong(addresses: readonly VettedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

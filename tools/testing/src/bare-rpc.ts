import { connect } from 'node:http2';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { certificateNameOf } from '@market-state/grpc';

const WAIT_MS = 20_000;

/** PEM files for a TLS connection. */
export interface Keyed {
  readonly certificate: string;
  readonly key: string;
}

/** A call to account that none of our programs would make. */
export interface BareCall {
  readonly address: string;
  readonly path: string;
  /** The protobuf of the request. */
  readonly message?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: without TLS. */
  readonly tls?: { readonly authority: string; readonly own?: Keyed; readonly maxVersion?: SecureVersion };
}

/** gRPC status of the answer; undefined when there was none, because the connection was not taken. */
export function bareCall({ address, path, message = Buffer.alloc(0), headers = {}, tls }: BareCall): Promise<number | undefined> {
  const [host = '', port = ''] = address.split(':');
  const session = connect(`${tls === undefined ? 'http' : 'https'}://${address}`, {
    ...(tls === undefined
      ? {}
      : {
          createConnection: () =>
            connectTls({
              host,
              port: Number(port),
              ca: tls.authority,
              cert: tls.own?.certificate,
              key: tls.own?.key,
              maxVersion: tls.maxVersion,
              servername: certificateNameOf('account'),
              ALPNProtocols: ['h2'],
            }),
        }),
  });
  return new Promise((resolve) => {
    let status: number | undefined;
    const end = (): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(status);
    };
    const timer = setTimeout(end, WAIT_MS);
    session.on('error', end);
    session.on('close', end);
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers });
    const note = (given: Record<string, unknown>): void => {
      if (given['grpc-status'] !== undefined) status = Number(given['grpc-status']);
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('error', end);
    stream.on('close', end);
    stream.resume();
    const size = Buffer.alloc(5);
    size.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([size, message]));
  });
}

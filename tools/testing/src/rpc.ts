import { connect } from 'node:http2';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import type { RpcSettings } from '@market-state/config';
import { CALLERS, type ServiceName } from '@market-state/contracts';
import { type GrpcServerOptions, type RpcIdentity, type RpcPeer, certificateNameOf } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';

const WAIT_MS = 20_000;

/** PEM files for a TLS connection. */
export interface Keyed {
  readonly certificate: string;
  readonly key: string;
}

/** A call to account that none of our programs would make. */
interface BareCall {
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

/** How long a client waits for an answer where nothing else is looked at: it ends what hangs, milliseconds. */
const PATIENT_MS = 60_000;

/** A service of the tests' installation. */
function testIdentity(service: ServiceName): RpcIdentity {
  return ownInstallation().identityOf(service);
}

/** What a server that plays a service is started with: `startGrpcServer({ ...testServing('account'), … })`. */
export function testServing(service: ServiceName): Pick<GrpcServerOptions, 'identity' | 'callers'> {
  return { identity: testIdentity(service), callers: CALLERS };
}

/** A service of the tests' installation as others call it: each method as the first service that may. */
export function testPeer(server: ServiceName): RpcPeer {
  return ownInstallation().peer(server);
}

/** The same for a client that waits as long as a busy machine takes: `createClient({ ...patientPeer('account'), … })`. */
export function patientPeer(server: ServiceName): { readonly peer: RpcPeer; readonly deadlineMs: number } {
  return { peer: testPeer(server), deadlineMs: PATIENT_MS };
}

/** The settings with which a service joins the tests' installation, as its configuration holds them. */
export function testRpcSettings(service: ServiceName): RpcSettings {
  return { kind: 'token', tokenFile: ownInstallation().writeTokenFile(service) };
}

/** The same settings as variables of its environment. */
export function testRpcVariables(service: ServiceName): { readonly RPC_TOKEN_FILE: string } {
  return { RPC_TOKEN_FILE: ownInstallation().writeTokenFile(service) };
}

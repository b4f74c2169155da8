import { connect } from 'node:http2';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import type { RpcSettings } from '@market-state/config';
import { CALLERS, type ServiceName } from '@market-state/contracts';
import { type GrpcServerOptions, type RpcIdentity, type RpcPeer, certificateNameOf } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';

const WAIT_MS = 20_000;

export interface Keyed {
  readonly certificate: string;
  readonly key: string;
}

/** A call to account that bypasses our clients. */
interface BareCall {
  readonly address: string;
  readonly path: string;
  readonly message?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without TLS by default. */
  readonly tls?: { readonly authority: string; readonly own?: Keyed; readonly maxVersion?: SecureVersion };
}

/** gRPC status of the answer; undefined if the connection was refused. */
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

/** Generous client deadline, only to end hung calls. */
const PATIENT_MS = 60_000;

function testIdentity(service: ServiceName): RpcIdentity {
  return ownInstallation().identityOf(service);
}

/** For `startGrpcServer({ ...testServing('account'), … })`. */
export function testServing(service: ServiceName): Pick<GrpcServerOptions, 'identity' | 'callers'> {
  return { identity: testIdentity(service), callers: CALLERS };
}

/** A peer that calls each method as its first permitted caller. */
export function testPeer(server: ServiceName): RpcPeer {
  return ownInstallation().peer(server);
}

/** For `createClient({ ...patientPeer('account'), … })`, with a generous deadline for busy machines. */
export function patientPeer(server: ServiceName): { readonly peer: RpcPeer; readonly deadlineMs: number } {
  return { peer: testPeer(server), deadlineMs: PATIENT_MS };
}

export function testRpcSettings(service: ServiceName): RpcSettings {
  return { kind: 'token', tokenFile: ownInstallation().writeTokenFile(service) };
}

export function testRpcVariables(service: ServiceName): { readonly RPC_TOKEN_FILE: string } {
  return { RPC_TOKEN_FILE: ownInstallation().writeTokenFile(service) };
}

import type { RpcSettings } from '@market-state/config';
import { CALLERS, type ServiceName } from '@market-state/contracts';
import type { GrpcServerOptions, RpcIdentity, RpcPeer } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';

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

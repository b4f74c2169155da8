import { join, resolve } from 'node:path';
import { SERVICES, type ServiceName } from '@market-state/contracts';
import { openIdentity, type RpcIdentity } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { keptSecret } from '../system/secrets';
import { createInstallation } from './installation';

/** How the processes of an installation prove to each other who they are, and how what runs them can do so too. */
export interface RpcAccess {
  /** The variables of one process; none for a process that neither serves nor calls RPCs. */
  variablesOf(processName: string): NodeJS.ProcessEnv;
  /** @throws {ConfigError} when its files cannot be used */
  identityOf(service: ServiceName): RpcIdentity;
}

function isService(name: string): name is ServiceName {
  return (SERVICES as readonly string[]).includes(name);
}

/**
 * By the certificates in `tlsDir`, as `market-state certificates` makes them; without it by the token of the installation, which is kept in
 * the data folder and made at first.
 */
export function openRpcAccess(dataDir: string, tlsDir: string | undefined): RpcAccess {
  return tlsDir === undefined ? accessByToken(dataDir) : accessByCertificates(resolve(tlsDir));
}

function accessByToken(dataDir: string): RpcAccess {
  const token = Buffer.from(keptSecret(dataDir, 'RPC_TOKEN'), 'base64url');
  const installation = createInstallation(token, join(dataDir, 'secrets', 'rpc'));
  const files = new Map(SERVICES.map((service): [string, string] => [service, installation.writeTokenFile(service)]));
  return {
    variablesOf: (name) => (files.has(name) ? { RPC_TOKEN_FILE: files.get(name) } : {}),
    identityOf: (service) => installation.identityOf(service),
  };
}

function accessByCertificates(folder: string): RpcAccess {
  const filesOf = (service: string) => ({
    certificateFile: join(folder, `${service}.crt`),
    keyFile: join(folder, `${service}.key`),
    authorityFile: join(folder, 'ca.crt'),
  });
  return {
    variablesOf(name) {
      if (!isService(name)) return {};
      const { certificateFile, keyFile, authorityFile } = filesOf(name);
      return { TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile, TLS_CA_FILE: authorityFile };
    },
    identityOf: (service) =>
      openIdentity(service, { kind: 'certificates', ...filesOf(service) }, { logger: createLogger(service, { level: 'silent' }) }),
  };
}

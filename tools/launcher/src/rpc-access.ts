import { join, resolve } from 'node:path';
import { mkdirSync, renameSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { SERVICES, type ServiceName, CALLERS } from '@market-state/contracts';
import { openIdentity, type RpcIdentity, callerFileText, callerTokens, type RpcPeer, tokenIdentity } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { keptSecret } from './system/secrets';

let own: Installation | undefined;

/** A private installation with its own token and files that are removed on exit, for suites and tests. */
export function ownInstallation(): Installation {
  if (own !== undefined) return own;
  const folder = mkdtempSync(join(tmpdir(), 'market-state-tokens-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  own = createInstallation(randomBytes(32), folder);
  return own;
}

interface Installation {
  identityOf(service: ServiceName): RpcIdentity;
  /** A peer that calls each method as its first permitted caller, for suites and tests. */
  peer(server: ServiceName): RpcPeer;
  /** @returns path for RPC_TOKEN_FILE, readable only by its owner */
  writeTokenFile(service: ServiceName): string;
}

export function createInstallation(token: Buffer, folder: string): Installation {
  const made = new Map<ServiceName, ReturnType<typeof callerTokens>>();
  const tokensOf = (service: ServiceName) => {
    const tokens = made.get(service) ?? callerTokens(token, service, SERVICES);
    made.set(service, tokens);
    return tokens;
  };
  const identityOf = (service: ServiceName): RpcIdentity => tokenIdentity(tokensOf(service));
  return {
    identityOf,
    peer(server) {
      const callers = new Map(SERVICES.map((caller) => [caller, identityOf(caller).to(server)]));
      const anyone = identityOf('operator').to(server);
      return { ...anyone, prove: (metadata, path) => (callers.get(CALLERS[path]?.[0] ?? 'operator') ?? anyone).prove(metadata, path) };
    },
    writeTokenFile(service) {
      const file = join(folder, `${service}.json`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, callerFileText(tokensOf(service)), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      return file;
    },
  };
}

export interface RpcAccess {
  variablesOf(processName: string): NodeJS.ProcessEnv;
  /** @throws {ConfigError} if its files are unusable */
  identityOf(service: ServiceName): RpcIdentity;
}

function isService(name: string): name is ServiceName {
  return (SERVICES as readonly string[]).includes(name);
}

/** Uses the certificates in `tlsDir`, or else the installation's token, stored in the data folder on first use. */
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

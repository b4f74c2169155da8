import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLERS, SERVICES, type ServiceName } from '@market-state/contracts';
import { callerFileText, callerTokens, type RpcIdentity, type RpcPeer, tokenIdentity } from '@market-state/grpc';

/** An installation whose services prove themselves by tokens. */
export interface Installation {
  identityOf(service: ServiceName): RpcIdentity;
  /** A service as others call it, each method by the first that may: for suites and tests, which play all parts. */
  peer(server: ServiceName): RpcPeer;
  /** Writes what one process may know of the tokens, for its owner alone to read. @returns the file, for RPC_TOKEN_FILE */
  writeTokenFile(service: ServiceName): string;
}

/**
 * The installation with this token.
 * @param folder where the files of its processes go
 */
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

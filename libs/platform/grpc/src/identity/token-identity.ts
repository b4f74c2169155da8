import { readFileSync } from 'node:fs';
import { credentials, ServerCredentials } from '@grpc/grpc-js';
import { ConfigError } from '@market-state/config';
import { callerHeader, callerOfHeader, type CallerTokens, parseCallerFile } from './caller-tokens';
import type { RpcIdentity } from './identity';

const HEADER = 'authorization';

/** An identity proved by a token that goes with each call, for loopback. */
export function tokenIdentity(tokens: CallerTokens): RpcIdentity {
  return {
    service: tokens.service,
    serverCredentials: () => ServerCredentials.createInsecure(),
    callerOf({ metadata }) {
      const [header] = metadata.get(HEADER);
      metadata.remove(HEADER);
      return typeof header === 'string' ? callerOfHeader(tokens, header) : undefined;
    },
    to(service) {
      const header = callerHeader(tokens, service);
      return {
        channel: () => ({ credentials: credentials.createInsecure(), options: {} }),
        prove: (metadata) => metadata.set(HEADER, header),
        onReplaced: () => () => undefined,
      };
    },
    close: () => undefined,
  };
}

/** @throws {ConfigError} naming RPC_TOKEN_FILE when the file cannot be read, or is not one of this service */
export function readTokenFile(service: string, file: string): CallerTokens {
  const fault = (message: string): ConfigError => new ConfigError([{ variable: 'RPC_TOKEN_FILE', message }]);
  let tokens: CallerTokens;
  try {
    tokens = parseCallerFile(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw fault(code === undefined ? message : `cannot be read: ${code}`);
  }
  if (tokens.service !== service) throw fault(`is the file of ${tokens.service}, not of ${service}`);
  return tokens;
}

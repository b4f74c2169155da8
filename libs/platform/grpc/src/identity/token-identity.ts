import { readFileSync } from 'node:fs';
import { credentials, ServerCredentials } from '@grpc/grpc-js';
import { ConfigError } from '@market-state/config';
import { callerHeaders, callerOfHeader, type CallerTokens, parseCallerFile } from './caller-tokens';
import type { RpcIdentity } from './identity';

const HEADER = 'authorization';

/**
 * An identity proved by a token sent with each call, for loopback.
 * @param now wall clock, milliseconds
 */
export function tokenIdentity(tokens: CallerTokens, now: () => number = Date.now): RpcIdentity {
  return {
    service: tokens.service,
    serverCredentials: () => ServerCredentials.createInsecure(),
    callerOf({ metadata, path }) {
      const [header] = metadata.get(HEADER);
      metadata.remove(HEADER);
      return typeof header === 'string' ? callerOfHeader(tokens, header, path, now()) : undefined;
    },
    to(service) {
      const headerFor = callerHeaders(tokens, service);
      return {
        channel: () => ({ credentials: credentials.createInsecure(), options: {} }),
        prove: (metadata, path) => metadata.set(HEADER, headerFor(path, now())),
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

import { join, resolve } from 'node:path';
import { ConfigError, isLoopbackAddress } from '@market-state/config';
import { IDEMPOTENT } from '@market-state/contracts';
import type { ServiceError } from '@market-state/errors';
import { createClient, type GrpcClient, openIdentity, type RpcIdentity, type RpcPeer, type ServiceMethods } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { badInput, type CliError, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';

/**
 * Certificate or token file named in the environment, or the token in the local system's data folder.
 * @throws CliError if there are none, or a token would be sent to another machine
 */
export function operatorIdentity(io: CliIo, dataDir: string | undefined, addresses: readonly string[]): RpcIdentity {
  const tokenFile = join(resolve(io.cwd, dataDir ?? io.dataDir), 'secrets', 'rpc', 'operator.json');
  const settings = io.rpc ?? { kind: 'token', tokenFile };
  const outside = addresses.find((address) => !isLoopbackAddress(address));
  if (settings.kind === 'token' && outside !== undefined)
    throw badInput(`${outside} is not on this machine: set TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE.`);
  try {
    return openIdentity('operator', settings, { logger: silentLogger() });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(({ variable, message }) => `${variable}: ${message}`);
    throw badInput(
      'No operator credentials found.',
      ...faults,
      ...(io.rpc === undefined ? [`Looked for ${tokenFile}; name another data folder with --data-dir or DATA_DIR.`] : []),
    );
  }
}

export function operatorClient<D extends ServiceMethods>(definition: D, address: string, peer: RpcPeer, deadlineMs: number): GrpcClient<D> {
  return createClient({ definition, address, peer, idempotent: IDEMPOTENT, deadlineMs });
}

/** Options of the commands for the service's fields. */
const OPTIONS: Readonly<Record<string, string>> = {
  market_state_credits: '--market-state',
  export_credits: '--export',
  expires_ts_ms: '--expires',
};

/** @param addresses sentence that names the addresses called */
export function fromServiceError({ code, message, faults }: ServiceError, addresses: string): CliError {
  if (code === 'INVALID_ARGUMENT')
    return badInput(message, ...faults.map((fault) => `${OPTIONS[fault.field] ?? fault.field}: ${withOptions(fault.message)}`));
  return code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED' ? incomplete(message, addresses) : incomplete(message);
}

function withOptions(message: string): string {
  return message.replace(/\w+/g, (word) => OPTIONS[word] ?? word);
}

/** Undefined unless the service rejected the operator's credentials. */
export function refusedOperator({ code, message }: ServiceError): CliError | undefined {
  if (code !== 'UNAUTHENTICATED' && code !== 'PERMISSION_DENIED') return undefined;
  return badInput(message, 'The service belongs to another installation or does not accept operator calls.');
}

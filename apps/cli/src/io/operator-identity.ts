import { join, resolve } from 'node:path';
import { ConfigError, isLoopbackAddress } from '@market-state/config';
import { openIdentity, type RpcIdentity } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

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

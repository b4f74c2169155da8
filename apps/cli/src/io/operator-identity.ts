import { join, resolve } from 'node:path';
import { ConfigError, isLoopbackAddress } from '@market-state/config';
import { openIdentity, type RpcIdentity } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

/**
 * The operator, as the services at these addresses know him: by the certificate or the token file that the environment names, or by the
 * token in the data folder of the system that runs on this machine.
 * @throws CliError when there is neither, or a token would leave the machine
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
      'Cannot prove to the services who is asking.',
      ...faults,
      ...(io.rpc === undefined ? [`Looked for ${tokenFile}; --data-dir or DATA_DIR names another data folder.`] : []),
    );
  }
}

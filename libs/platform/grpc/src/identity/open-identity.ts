import type { RpcSettings } from '@market-state/config';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { certificateIdentity } from './certificate-identity';
import type { RpcIdentity } from './identity';
import { readTokenFile, tokenIdentity } from './token-identity';

export interface IdentityOptions {
  readonly logger: Logger;
  /** Receives the remaining time of the service's certificate; default: not reported. */
  readonly metrics?: Metrics;
  /** Wall clock, milliseconds; default the system's. */
  readonly now?: () => number;
}

/**
 * Opens the identity of `service` from the files that its settings name.
 * @throws {ConfigError} when a file cannot be read or used, or is another service's, and when a certificate has expired or lives longer
 * than 90 days
 */
export function openIdentity(service: string, settings: RpcSettings, { logger, metrics, now = Date.now }: IdentityOptions): RpcIdentity {
  return settings.kind === 'certificates'
    ? certificateIdentity(service, settings, { logger, metrics, now })
    : tokenIdentity(readTokenFile(service, settings.tokenFile), now);
}

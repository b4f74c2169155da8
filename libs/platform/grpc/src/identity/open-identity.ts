import type { RpcSettings } from '@market-state/config';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { certificateIdentity } from './certificate-identity';
import type { RpcIdentity } from './identity';
import { readTokenFile, tokenIdentity } from './token-identity';

export interface IdentityOptions {
  readonly logger: Logger;
  /** Default: expiry is not reported. */
  readonly metrics?: Metrics;
  readonly now?: () => number;
}

/**
 * @throws {ConfigError} for unreadable or unusable files, those of another service, and certificates that have expired
 * or are valid for over 90 days
 */
export function openIdentity(service: string, settings: RpcSettings, { logger, metrics, now = Date.now }: IdentityOptions): RpcIdentity {
  return settings.kind === 'certificates'
    ? certificateIdentity(service, settings, { logger, metrics, now })
    : tokenIdentity(readTokenFile(service, settings.tokenFile), now);
}

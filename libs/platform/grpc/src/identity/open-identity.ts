import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ServerCredentials, credentials } from '@grpc/grpc-js';
import { ConfigError, type ConfigFault, type RpcSettings } from '@market-state/config';
import type { Logger } from '@market-state/logging';
import { addGauge, type Metrics } from '@market-state/telemetry';
import {
  type CertificateBytes,
  type CertificateFiles,
  certificateNameOf,
  checkCertificates,
  createAuthorityCheck,
  lifeEndMs,
  sameBytes,
  serviceOfNames,
} from './certificates';
import type { RpcIdentity } from './identity';
import { readTokenFile, tokenIdentity } from './token-identity';

const DAY_MS = 86_400_000;
const WARNED_MS = 7 * DAY_MS;

interface ExpiryDeps {
  readonly service: string;
  readonly endsMs: () => number;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly now: () => number;
}

/** Warns daily during the last seven days. */
function watchExpiry({ service, endsMs, logger, metrics, now }: ExpiryDeps): { look(): void } {
  let warnedMs = Number.NEGATIVE_INFINITY;
  if (metrics !== undefined) {
    const help = 'Time until the certificate of this service expires; negative once it has.';
    addGauge(metrics, 'rpc_certificate_seconds_left', help, [], (left) => left.set((endsMs() - now()) / 1_000));
  }
  return {
    look() {
      if (endsMs() - now() > WARNED_MS || now() - warnedMs < DAY_MS) return;
      warnedMs = now();
      logger.warn({ service, ends_utc: new Date(endsMs()).toISOString() }, 'certificate expires within a week: renew it');
    },
  };
}

function contextOf({ certificate, key, authority }: CertificateBytes) {
  return { cert: certificate, key, ca: authority, minVersion: 'TLSv1.3' } as const;
}

/** Requires a client certificate of our authority; replaceable while serving. */
class ReloadingServerCredentials extends ServerCredentials {
  constructor(bytes: CertificateBytes) {
    super({ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }, contextOf(bytes));
  }

  /** Existing connections continue. */
  replace(bytes: CertificateBytes): void {
    this.updateSecureContextOptions(contextOf(bytes));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

const LOOK_EVERY_MS = 1_000;

interface CertificateIdentityDeps {
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly now: () => number;
}

/**
 * Changed files apply to new connections; running calls continue. Callers are rejected once their authority is removed,
 * even on existing connections. Unusable files, such as a partial renewal, are logged and ignored.
 * @throws {ConfigError} if the initial files cannot be used
 */
function certificateIdentity(service: string, files: CertificateFiles, { logger, metrics, now }: CertificateIdentityDeps): RpcIdentity {
  let current = readAtStart(files);
  let { endsMs: ownEndsMs } = checkCertificates(service, current, now());
  note(ownEndsMs);
  const expiry = watchExpiry({ service, endsMs: () => ownEndsMs, logger, metrics, now });
  let isOurs = createAuthorityCheck(current);
  let context = secureContextOf(current);
  let refused = current;
  const servers = new Set<ReloadingServerCredentials>();
  const listeners = new Set<() => void>();

  function note(endsMs: number): void {
    logger.info({ service, ends_utc: new Date(endsMs).toISOString() }, 'certificates read');
  }

  function take(bytes: CertificateBytes): void {
    try {
      const { endsMs } = checkCertificates(service, bytes, now());
      context = secureContextOf(bytes);
      isOurs = createAuthorityCheck(bytes);
      current = bytes;
      ownEndsMs = endsMs;
      note(endsMs);
    } catch (error) {
      refused = bytes;
      logger.warn(
        { service, faults: error instanceof ConfigError ? error.faults : [{ variable: 'TLS_CERT_FILE', message: 'cannot be used' }] },
        'changed certificates cannot be used; keeping the previous ones',
      );
      return;
    }
    for (const server of servers) server.replace(bytes);
    for (const listener of [...listeners]) listener();
  }

  async function look(): Promise<void> {
    expiry.look();
    const bytes = await readAgain(files).catch(() => undefined);
    if (bytes !== undefined && !sameBytes(bytes, current) && !sameBytes(bytes, refused)) take(bytes);
  }

  const looking = setInterval(() => void look(), LOOK_EVERY_MS);
  looking.unref();
  return {
    service,
    serverCredentials() {
      const server = new ReloadingServerCredentials(current);
      servers.add(server);
      return server;
    },
    callerOf({ certificate }) {
      if (certificate === undefined) return undefined;
      const endsMs = lifeEndMs(certificate.valid_from, certificate.valid_to);
      return endsMs !== undefined && endsMs > now() && isOurs(certificate.raw) ? serviceOfNames(certificate.subjectaltname) : undefined;
    },
    to: (other) => ({
      channel: () => ({
        credentials: credentials.createFromSecureContext(context),
        options: { 'grpc.ssl_target_name_override': certificateNameOf(other) },
      }),
      prove: () => undefined,
      onReplaced(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    close: () => clearInterval(looking),
  };
}

function secureContextOf({ certificate, key, authority }: CertificateBytes) {
  return createSecureContext({ cert: certificate, key, ca: authority, minVersion: 'TLSv1.3' });
}

function readAtStart({ certificateFile, keyFile, authorityFile }: CertificateFiles): CertificateBytes {
  const faults: ConfigFault[] = [];
  const read = (variable: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      faults.push({ variable, message: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}` });
      return Buffer.alloc(0);
    }
  };
  const bytes = {
    certificate: read('TLS_CERT_FILE', certificateFile),
    key: read('TLS_KEY_FILE', keyFile),
    authority: read('TLS_CA_FILE', authorityFile),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return bytes;
}

async function readAgain({ certificateFile, keyFile, authorityFile }: CertificateFiles): Promise<CertificateBytes> {
  const [certificate, key, authority] = await Promise.all([certificateFile, keyFile, authorityFile].map((file) => readFile(file)));
  return { certificate, key, authority } as CertificateBytes;
}

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

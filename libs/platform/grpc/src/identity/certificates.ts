import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConfigError, type ConfigFault, type RpcSettings } from '@market-state/config';

const DOMAIN = 'market-state.internal';
const ALONE = new RegExp(`^DNS:([a-z][a-z0-9-]{0,62})\\.${DOMAIN.replace('.', '\\.')}$`);

/** DNS name in the certificate. */
export function certificateNameOf(service: string): string {
  return `${service}.${DOMAIN}`;
}

/** Names in Node's format; undefined for none, several, or a quoted name. */
export function serviceOfNames(names: string | undefined): string | undefined {
  if (names === undefined || names.includes('"')) return undefined;
  const services = names.split(', ').flatMap((name) => ALONE.exec(name)?.[1] ?? []);
  return services.length === 1 ? services[0] : undefined;
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const STEPS_MAX = 5;
const MEMO_SIZE = 100;

function certificatesIn(pem: Buffer): X509Certificate[] {
  return (pem.toString('latin1').match(PEM_BLOCK) ?? []).map((block) => new X509Certificate(block));
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Follows intermediate certificates. */
function leadsTo(authorities: readonly X509Certificate[], certificate: X509Certificate, between: readonly X509Certificate[]): boolean {
  let current: X509Certificate | undefined = certificate;
  for (let step = 0; current !== undefined && step <= STEPS_MAX; step += 1) {
    const signed: X509Certificate = current;
    if (authorities.some((authority) => isSignedBy(signed, authority))) return true;
    current = between.find((issuer) => issuer !== signed && isSignedBy(signed, issuer));
  }
  return false;
}

/** For a DER certificate: connections outlive a change of authorities. */
type AuthorityCheck = (certificate: Buffer) => boolean;

/** Intermediates come from the service's own `certificate` file. */
export function createAuthorityCheck({
  authority,
  certificate,
}: {
  readonly authority: Buffer;
  readonly certificate: Buffer;
}): AuthorityCheck {
  const authorities = certificatesIn(authority);
  const between = certificatesIn(certificate).slice(1);
  const cache = new Map<string, boolean>();
  return (der) => {
    const key = der.toString('latin1');
    const known = cache.get(key);
    if (known !== undefined) return known;
    const isOurs = leadsTo(authorities, new X509Certificate(der), between);
    if (cache.size >= MEMO_SIZE) cache.clear();
    cache.set(key, isOurs);
    return isOurs;
  };
}

export type CertificateFiles = Extract<RpcSettings, { kind: 'certificates' }>;

/** Read together. */
export interface CertificateBytes {
  readonly certificate: Buffer;
  readonly key: Buffer;
  readonly authority: Buffer;
}

const CERTIFICATE_LIFE_MS_MAX = 90 * 86_400_000;

export function sameBytes(one: CertificateBytes, other: CertificateBytes): boolean {
  return one.certificate.equals(other.certificate) && one.key.equals(other.key) && one.authority.equals(other.authority);
}

/** Undefined if the validity is too long. */
export function lifeEndMs(validFrom: string, validTo: string): number | undefined {
  const endMs = Date.parse(validTo);
  return endMs - Date.parse(validFrom) <= CERTIFICATE_LIFE_MS_MAX ? endMs : undefined;
}

/**
 * @returns expiry of the certificate
 * @throws {ConfigError} with every fault, by variable
 */
export function checkCertificates(service: string, bytes: CertificateBytes, nowMs: number): { readonly endsMs: number } {
  const faults: ConfigFault[] = [];
  const parsed = <T>(variable: string, what: string, parse: () => T): T | undefined => {
    try {
      return parse();
    } catch {
      faults.push({ variable, message: `does not contain ${what} in PEM format` });
      return undefined;
    }
  };
  const certificate = parsed('TLS_CERT_FILE', 'a certificate', () => new X509Certificate(bytes.certificate));
  const key = parsed('TLS_KEY_FILE', 'a private key', () => createPrivateKey(bytes.key));
  const authorities = parsed('TLS_CA_FILE', 'a certificate', () => [
    new X509Certificate(bytes.authority),
    ...certificatesIn(bytes.authority).slice(1),
  ]);
  if (certificate === undefined) throw new ConfigError(faults);
  if (key !== undefined && !certificate.checkPrivateKey(key))
    faults.push({ variable: 'TLS_KEY_FILE', message: 'is not the key of the certificate in TLS_CERT_FILE' });
  if (authorities !== undefined && !leadsTo(authorities, certificate, certificatesIn(bytes.certificate).slice(1))) {
    faults.push({ variable: 'TLS_CERT_FILE', message: 'is not signed by an authority in TLS_CA_FILE' });
  }
  const { endsMs, messages } = judge(service, certificate, nowMs);
  faults.push(...messages.map((message) => ({ variable: 'TLS_CERT_FILE', message })));
  if (faults.length > 0) throw new ConfigError(faults);
  return { endsMs };
}

function judge(
  service: string,
  certificate: X509Certificate,
  nowMs: number,
): { readonly endsMs: number; readonly messages: readonly string[] } {
  const endsMs = lifeEndMs(certificate.validFrom, certificate.validTo) ?? 0;
  const named = serviceOfNames(certificate.subjectAltName);
  const messages = [
    ...(named === service ? [] : [`is the certificate of ${named ?? 'no service'}, not of ${service}`]),
    ...(endsMs === 0 ? ['is valid for more than 90 days: issue one with a shorter validity'] : []),
    ...(Date.parse(certificate.validTo) <= nowMs ? ['has expired'] : []),
    ...(Date.parse(certificate.validFrom) > nowMs ? ['is not valid yet'] : []),
  ];
  return { endsMs, messages };
}

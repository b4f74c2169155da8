import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConfigError, type ConfigFault, type RpcSettings } from '@market-state/config';
import { certificatesIn, leadsTo } from './authorities';
import { serviceOfNames } from './service-name';

export type CertificateFiles = Extract<RpcSettings, { kind: 'certificates' }>;

/** The files' bytes as they were read together. */
export interface CertificateBytes {
  readonly certificate: Buffer;
  readonly key: Buffer;
  readonly authority: Buffer;
}

/** Longest validity of a service's certificate, milliseconds: 90 days. */
const CERTIFICATE_LIFE_MS_MAX = 90 * 86_400_000;

/** Whether all three files have the same bytes. */
export function sameBytes(one: CertificateBytes, other: CertificateBytes): boolean {
  return one.certificate.equals(other.certificate) && one.key.equals(other.key) && one.authority.equals(other.authority);
}

/** When a certificate expires, milliseconds; undefined if it is valid for longer than a service's may be. */
export function lifeEndMs(validFrom: string, validTo: string): number | undefined {
  const endMs = Date.parse(validTo);
  return endMs - Date.parse(validFrom) <= CERTIFICATE_LIFE_MS_MAX ? endMs : undefined;
}

/**
 * Checks that a service can be proved with these files.
 * @returns when its certificate ends
 * @throws {ConfigError} with every fault, by the variable that names the file
 */
export function checkCertificates(service: string, bytes: CertificateBytes, nowMs: number): { readonly endsMs: number } {
  const faults: ConfigFault[] = [];
  const parsed = <T>(variable: string, what: string, parse: () => T): T | undefined => {
    try {
      return parse();
    } catch {
      faults.push({ variable, message: `does not hold ${what} in PEM` });
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
    ...(endsMs === 0 ? ['lives longer than 90 days: make one that ends sooner'] : []),
    ...(Date.parse(certificate.validTo) <= nowMs ? ['has expired'] : []),
    ...(Date.parse(certificate.validFrom) > nowMs ? ['is not valid yet'] : []),
  ];
  return { endsMs, messages };
}

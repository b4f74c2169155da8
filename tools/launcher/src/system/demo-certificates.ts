import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateAndKey } from '@market-state/certificates';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
const CERTIFICATE_DAYS = 365;
const DAYS_LEFT_MIN = 180;
const NAME = 'localhost';

export function isTriedOut({ NODE_ENV }: NodeJS.ProcessEnv): boolean {
  return NODE_ENV !== 'production';
}

export function demoAuthorityFile(dataDir: string): string {
  return join(folderOf(dataDir), 'ca.crt');
}

/**
 * Ensures `ca` and `localhost` certificates in the data folder, so that local webhook receivers can use https. Replaces
 * mismatched ones and those that expire within 180 days.
 */
export async function keepDemoCertificates(dataDir: string, nowMs: number): Promise<void> {
  const folder = folderOf(dataDir);
  const kept = keptPair(folder, 'ca', nowMs);
  if (kept !== undefined && keptPair(folder, NAME, nowMs, kept) !== undefined) return;
  const { makeAuthority, makeServiceCertificate } = await import('@market-state/certificates');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fromMs = nowMs - DAY_MS;
  const authority = kept ?? (await makeAuthority('Market State demo', { fromMs, toMs: nowMs + AUTHORITY_DAYS * DAY_MS }));
  if (kept === undefined) writePair(folder, 'ca', authority);
  const certificate = await makeServiceCertificate(authority, { name: NAME, fromMs, toMs: nowMs + CERTIFICATE_DAYS * DAY_MS });
  writePair(folder, NAME, certificate);
}

function folderOf(dataDir: string): string {
  return join(dataDir, 'demo-tls');
}

function keptPair(folder: string, name: string, nowMs: number, authority?: CertificateAndKey): CertificateAndKey | undefined {
  try {
    const [certificate, key] = ['crt', 'key'].map((end) => readFileSync(join(folder, `${name}.${end}`), 'utf8')) as [string, string];
    const read = new X509Certificate(certificate);
    const hasTime = Date.parse(read.validTo) - nowMs > DAYS_LEFT_MIN * DAY_MS;
    const isSigned = authority === undefined || read.verify(new X509Certificate(authority.certificate).publicKey);
    return hasTime && isSigned && read.checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

function writePair(folder: string, name: string, { certificate, key }: CertificateAndKey): void {
  writeWhole(join(folder, `${name}.key`), key, 0o600);
  writeWhole(join(folder, `${name}.crt`), certificate, 0o644);
}

function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}

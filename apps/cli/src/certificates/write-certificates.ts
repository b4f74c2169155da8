import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@market-state/contracts';
import { certificateNameOf } from '@market-state/grpc';
import { badInput } from '../cli-error';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** So long before now they are valid already, for machines whose clocks differ. */
const EARLIER_MS = 5 * 60_000;

export interface CertificateOrder {
  /** Absolute path. */
  readonly folder: string;
  readonly days: number;
  /** Keep the authority in the folder, and make the services' certificates again. */
  readonly renew: boolean;
  readonly nowMs: number;
}

/** What was made. */
export interface WrittenCertificates {
  readonly services: readonly string[];
  readonly endsMs: number;
}

/**
 * Makes an authority, or takes that of an earlier run, and a certificate of each service: `ca.crt`, `ca.key`, then `<service>.crt` and
 * `<service>.key`. Keys are for their owner alone to read. Each file is put in place whole.
 * @throws CliError when there is an authority already and it is not to be kept, when there is none to keep, or when its key is another's
 */
export async function writeCertificates({ folder, days, renew, nowMs }: CertificateOrder): Promise<WrittenCertificates> {
  const authorityFiles = [join(folder, 'ca.crt'), join(folder, 'ca.key')] as const;
  const isThere = authorityFiles.every((file) => existsSync(file));
  if (renew && !isThere) throw badInput(`There is no authority in ${folder} to renew certificates with: ca.crt and ca.key are needed.`);
  if (!renew && authorityFiles.some((file) => existsSync(file)))
    throw badInput(`There is an authority in ${folder} already. With --renew its services get new certificates.`);
  const { makeAuthority, makeServiceCertificate } = await import('@market-state/certificates');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fromMs = nowMs - EARLIER_MS;
  const authority = renew
    ? { certificate: readFileSync(authorityFiles[0], 'utf8'), key: readFileSync(authorityFiles[1], 'utf8') }
    : await makeAuthority('Market State', { fromMs, toMs: fromMs + AUTHORITY_DAYS * DAY_MS });
  if (renew && !fits(authority)) throw badInput(`ca.key in ${folder} is not the key of ca.crt: nothing was renewed.`);
  if (!renew) writePair(folder, 'ca', authority);
  const endsMs = fromMs + days * DAY_MS;
  for (const service of SERVICES)
    writePair(folder, service, await makeServiceCertificate(authority, { name: certificateNameOf(service), fromMs, toMs: endsMs }));
  return { services: SERVICES, endsMs };
}

function fits({ certificate, key }: { readonly certificate: string; readonly key: string }): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The key first: who reads both in between finds that they do not fit, and reads again. */
function writePair(folder: string, name: string, { certificate, key }: { readonly certificate: string; readonly key: string }): void {
  writeWhole(join(folder, `${name}.key`), key, 0o600);
  writeWhole(join(folder, `${name}.crt`), certificate, 0o644);
}

function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}

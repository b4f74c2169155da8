import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SERVICES } from '@market-state/contracts';
import { certificateNameOf } from '@market-state/grpc';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { numberOption, type Options, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** Backdates certificates to tolerate clock skew between machines. */
const EARLIER_MS = 5 * 60_000;

interface CertificateOrder {
  readonly folder: string;
  readonly days: number;
  /** Keep the existing authority and reissue the services' certificates. */
  readonly renew: boolean;
  readonly nowMs: number;
}

interface WrittenCertificates {
  readonly services: readonly string[];
  readonly endsMs: number;
}

/**
 * `ca.crt` and `ca.key`, then `<service>.crt` and `<service>.key`. Keys are readable by their owner only; files are
 * replaced atomically.
 * @throws CliError if an authority exists and must not be reused, none exists to reuse, or its key does not match
 */
async function writeCertificates({ folder, days, renew, nowMs }: CertificateOrder): Promise<WrittenCertificates> {
  const authorityFiles = [join(folder, 'ca.crt'), join(folder, 'ca.key')] as const;
  const isThere = authorityFiles.every((file) => existsSync(file));
  if (renew && !isThere) throw badInput(`No authority in ${folder} to renew certificates with: ca.crt and ca.key are required.`);
  if (!renew && authorityFiles.some((file) => existsSync(file)))
    throw badInput(`${folder} already has an authority. Pass --renew to reissue its service certificates.`);
  const { makeAuthority, makeServiceCertificate } = await import('@market-state/certificates');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fromMs = nowMs - EARLIER_MS;
  const authority = renew
    ? { certificate: readFileSync(authorityFiles[0], 'utf8'), key: readFileSync(authorityFiles[1], 'utf8') }
    : await makeAuthority('Market State', { fromMs, toMs: fromMs + AUTHORITY_DAYS * DAY_MS });
  if (renew && !fits(authority)) throw badInput(`ca.key in ${folder} does not match ca.crt; nothing was renewed.`);
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

/** Key first: a reader that catches the pair in between sees a mismatch and reads again. */
function writePair(folder: string, name: string, { certificate, key }: { readonly certificate: string; readonly key: string }): void {
  writeWhole(join(folder, `${name}.key`), key, 0o600);
  writeWhole(join(folder, `${name}.crt`), certificate, 0o644);
}

function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}

const DAYS_MAX = 90;
const DAYS = 30;

interface CertificateSettings {
  readonly out: string;
  readonly days: number;
  readonly renew: boolean;
  readonly format: ResultFormat;
}

export function certificatesCommand(): CliCommand {
  return withResultOption(new CliCommand('certificates'))
    .summary('create the TLS certificates that services use to identify each other')
    .description(
      'Creates an authority (ca.crt, ca.key) and a certificate for each service (<service>.crt, <service>.key) for mutual TLS between services.\n' +
        'Point each process to them with TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE (ca.crt), or set TLS_DIR for npm start. Keep ca.key off ' +
        'the machines that run services.\n' +
        'Running processes reload certificates when the files change; run this with --renew before they expire.',
    )
    .option('--out <folder>', 'output folder', 'certificates')
    .option('--days <n>', `validity of the service certificates in days, up to ${DAYS_MAX}`, String(DAYS))
    .option('--renew', 'keep the existing authority and reissue the service certificates')
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state admin certificates --out tls\n  $ TLS_DIR=tls NODE_ENV=production npm start\n  $ market-state ' +
        'admin certificates --out tls --renew\n',
    )
    .runs<CertificateSettings>(readSettings, makeCertificates);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault): CertificateSettings {
  if (operands.length > 0) fault(`takes no arguments: ${operands.join(', ')}`);
  return {
    out: textOption(options, 'out') ?? 'certificates',
    days: numberOption(options, 'days', { min: 1, max: DAYS_MAX, integer: true }, fault) ?? DAYS,
    renew: options['renew'] === true,
    format: readResultFormat(options, fault),
  };
}

async function makeCertificates({ out, days, renew, format }: CertificateSettings, io: CliIo): Promise<ExitCode> {
  const folder = resolve(io.cwd, out);
  const { services, endsMs } = await writeCertificates({ folder, days, renew, nowMs: Date.now() });
  const ends = `valid until ${new Date(endsMs).toISOString().slice(0, 19)}Z`;
  const done = renew ? 'Renewed' : 'Created an authority and';
  const result = { folder, valid_until_utc: new Date(endsMs).toISOString(), services };
  writeResult(io, format, result, [
    `${done} ${services.length} certificates in ${folder}, ${ends}:`,
    ...services.map((service) => `  ${service}`),
  ]);
  return EXIT.done;
}

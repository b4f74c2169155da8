import { resolve, join } from 'node:path';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SERVICES } from '@market-state/contracts';
import { certificateNameOf } from '@market-state/grpc';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { numberOption, type Options, textOption } from '../arguments/values';
import { EXIT, type ExitCode, badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** So long before now they are valid already, for machines whose clocks differ. */
const EARLIER_MS = 5 * 60_000;

interface CertificateOrder {
  /** Absolute path. */
  readonly folder: string;
  readonly days: number;
  /** Keep the authority in the folder, and make the services' certificates again. */
  readonly renew: boolean;
  readonly nowMs: number;
}

/** What was made. */
interface WrittenCertificates {
  readonly services: readonly string[];
  readonly endsMs: number;
}

/**
 * Makes an authority, or takes that of an earlier run, and a certificate of each service: `ca.crt`, `ca.key`, then `<service>.crt` and
 * `<service>.key`. Keys are for their owner alone to read. Each file is put in place whole.
 * @throws CliError when there is an authority already and it is not to be kept, when there is none to keep, or when its key is another's
 */
async function writeCertificates({ folder, days, renew, nowMs }: CertificateOrder): Promise<WrittenCertificates> {
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

const DAYS_MAX = 90;
const DAYS = 30;

interface CertificateSettings {
  readonly out: string;
  readonly days: number;
  readonly renew: boolean;
}

/** `certificates`: those by which services know each other. */
export function certificatesCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return new CliCommand('certificates')
    .summary('make the certificates by which the services identify each other')
    .description(
      'Makes an authority (ca.crt, ca.key) and a certificate for each service (<service>.crt, <service>.key), so that both sides of a connection prove who they are.\n' +
        'Give a process TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE (ca.crt), or npm start TLS_DIR. Keep ca.key away from ' +
        'the machines that serve.\n' +
        'Running processes read certificates again when the files change: run it with --renew before they expire.',
    )
    .option('--out <folder>', 'folder of the files', 'certificates')
    .option('--days <n>', `days that the services’ certificates are valid, up to ${DAYS_MAX}`, String(DAYS))
    .option('--renew', 'keep the authority in the folder and make new certificates for the services')
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state certificates --out tls\n  $ TLS_DIR=tls NODE_ENV=production npm start\n  $ market-state ' +
        'certificates --out tls --renew\n',
    )
    .runs<CertificateSettings>(readSettings, (settings) => makeCertificates(settings, io), onExitCode);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault): CertificateSettings {
  if (operands.length > 0) fault(`it takes no arguments: ${operands.join(', ')}`);
  return {
    out: textOption(options, 'out') ?? 'certificates',
    days: numberOption(options, 'days', { min: 1, max: DAYS_MAX, integer: true }, fault) ?? DAYS,
    renew: options['renew'] === true,
  };
}

async function makeCertificates({ out, days, renew }: CertificateSettings, io: CliIo): Promise<ExitCode> {
  const folder = resolve(io.cwd, out);
  const { services, endsMs } = await writeCertificates({ folder, days, renew, nowMs: Date.now() });
  const ends = `valid until ${new Date(endsMs).toISOString().slice(0, 19)}Z`;
  io.stdout.write(
    `${renew ? 'Renewed' : 'Made an authority and'} ${services.length} certificates in ${folder}, ` +
      `${ends}:\n${services.map((service) => `  ${service}\n`).join('')}`,
  );
  return EXIT.done;
}

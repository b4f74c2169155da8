import { resolve } from 'node:path';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { numberOption, type Options, textOption } from '../arguments/values';
import { writeCertificates } from '../certificates/write-certificates';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';

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

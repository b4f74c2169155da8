import { join } from 'node:path';
import { portIsFree } from './free-port';
import { inheritedVariables } from './system/environment';
import { workspaceRoot } from './workspace-root';
import type { SystemOptions } from './system/start-system';

export function mailLine({ SMTP_URL: smtpUrl, SMTP_URL_FILE: smtpFile, OUTBOX_DIR: outboxDir }: NodeJS.ProcessEnv, data: string): string {
  if (smtpUrl || smtpFile) return 'sent by the mail server of SMTP_URL';
  return `saved as files in ${outboxDir || `${data}/outbox`}, including password resets (to send mail, set SMTP_URL and MAIL_FROM)`;
}

const HELP = `npm start: runs the whole service on this machine, with a private PostgreSQL and Redis, until Ctrl-C. It takes no arguments and reads

  PORT        port of the service; default 8080, or the next free port
  DATA_DIR    folder for all data; default .data
  FEED        market data sources; default: the bundled recording and the simulated venue

and the other variables listed in tools/launcher/README.md.`;

/**
 * Help text, or undefined if the system should start.
 * @param given arguments after the command
 * @throws Error for an unsupported argument
 */
export function startHelp(given: readonly string[]): string | undefined {
  if (given.length === 1 && (given[0] === '--help' || given[0] === '-h')) return HELP;
  if (given.length > 0)
    throw new Error(`npm start takes no arguments; unexpected: ${given.join(' ')}. For its settings, run: npm start -- --help`);
  return undefined;
}

const defaultPort = 8080;
const portMax = 65_535;
const portsTried = 100;
const everywhere = '0.0.0.0';

export interface StartSettings extends Required<Pick<SystemOptions, 'dataDir' | 'port' | 'stores' | 'settings'>> {
  /** Interval at which a table made of the venues' metadata is made again. */
  readonly tableEveryMs: number;
}

const MINUTE_MS = 60_000;
const TABLE_MINUTES = 60;

/**
 * @param say receives a line if the default port is taken and another is used
 * @throws Error if PORT is invalid or taken, or SYMBOLS_REFRESH_MINUTES is no positive number
 */
export async function readStartSettings(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<StartSettings> {
  return {
    dataDir: env['DATA_DIR'] || join(workspaceRoot(), '.data'),
    port: await choosePort(env['PORT'] || undefined, say),
    stores: {
      databaseUrl: env['DATABASE_URL'] || undefined,
      migrationDatabaseUrl: env['MIGRATION_DATABASE_URL'] || undefined,
      redisUrl: env['REDIS_URL'] || undefined,
    },
    settings: inheritedVariables(env),
    tableEveryMs: tableMinutes(env['SYMBOLS_REFRESH_MINUTES']) * MINUTE_MS,
  };
}

function tableMinutes(text: string | undefined): number {
  if (!text) return TABLE_MINUTES;
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= 1_440)) throw new Error(`SYMBOLS_REFRESH_MINUTES must be a number over 0 and up to 1440, not "${text}".`);
  return minutes;
}

async function choosePort(wanted: string | undefined, say: (line: string) => void): Promise<number> {
  if (wanted !== undefined) {
    const port = Number(wanted);
    if (!Number.isInteger(port) || port < 1 || port > portMax)
      throw new Error(`PORT must be a number from 1 to ${portMax}, not "${wanted}".`);
    if (!(await portIsFree(port, everywhere))) throw new Error(`Port ${port} is in use. Free it, or set PORT to another one.`);
    return port;
  }
  for (let port = defaultPort; port < defaultPort + portsTried; port += 1) {
    if (!(await portIsFree(port, everywhere))) continue;
    if (port !== defaultPort) say(`Port ${defaultPort} is in use; using ${port} instead.`);
    return port;
  }
  throw new Error(`No free port found from ${defaultPort} on. Set PORT.`);
}

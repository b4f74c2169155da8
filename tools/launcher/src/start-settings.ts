import { join } from 'node:path';
import { portIsFree } from './free-port';
import { inheritedVariables } from './system/environment';
import { feedFaults } from './system/feeds';
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
 * @param checksFeeds also refuses wrong settings of the feeds
 * @throws Error naming every wrong setting: PORT if it is invalid or taken, SYMBOLS_REFRESH_MINUTES if it is no positive
 * number
 */
export async function readStartSettings(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  { checksFeeds = false }: { readonly checksFeeds?: boolean } = {},
): Promise<StartSettings> {
  const refused: string[] = [];
  const attempt = async (read: () => number | Promise<number>): Promise<number> => {
    try {
      return await read();
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
      return 0;
    }
  };
  const port = await attempt(() => choosePort(env['PORT'] || undefined, say));
  const minutes = await attempt(() => tableMinutes(env['SYMBOLS_REFRESH_MINUTES']));
  if (checksFeeds) refused.push(...feedFaults(env));
  if (refused.length > 0) throw new Error(refused.join('\n'));
  return {
    dataDir: env['DATA_DIR'] || join(workspaceRoot(), '.data'),
    port,
    stores: {
      databaseUrl: env['DATABASE_URL'] || undefined,
      migrationDatabaseUrl: env['MIGRATION_DATABASE_URL'] || undefined,
      redisUrl: env['REDIS_URL'] || undefined,
    },
    settings: inheritedVariables(env),
    tableEveryMs: minutes * MINUTE_MS,
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

import { join } from 'node:path';
import { portIsFree } from './free-port';
import { inheritedVariables } from './system/environment';
import { workspaceRoot } from './workspace-root';
import type { SystemOptions } from './system/start-system';

/** Where mail of this installation goes, as `npm start` prints it. `data` is its data folder. */
export function mailLine({ SMTP_URL: smtpUrl, SMTP_URL_FILE: smtpFile, OUTBOX_DIR: outboxDir }: NodeJS.ProcessEnv, data: string): string {
  if (smtpUrl || smtpFile) return 'sent by the mail server of SMTP_URL';
  return `a file each in ${outboxDir || `${data}/outbox`}, password resets included (no mail server: set SMTP_URL and MAIL_FROM)`;
}

const HELP = `npm start: the whole service on this machine, with a private PostgreSQL and Redis, until Ctrl-C. It takes no arguments; it reads

  PORT        where the service answers; 8080, or the next free port
  DATA_DIR    where everything that it keeps is; .data
  FEED        where market data come from; by default the bundled recording and the simulated venue

and the other variables that tools/launcher/README.md lists.`;

/**
 * What `npm start` says in place of starting; undefined where it starts.
 * @param given arguments after the command
 * @throws Error in a sentence when there is an argument that it does not take
 */
export function startHelp(given: readonly string[]): string | undefined {
  if (given.length === 1 && (given[0] === '--help' || given[0] === '-h')) return HELP;
  if (given.length > 0)
    throw new Error(`npm start takes no arguments, and was given ${given.join(' ')}. Its settings: npm start -- --help`);
  return undefined;
}

const defaultPort = 8080;
const portMax = 65_535;
const portsTried = 100;
const everywhere = '0.0.0.0';

/** The settings of `npm start`, out of the environment. */
export type StartSettings = Required<Pick<SystemOptions, 'dataDir' | 'port' | 'stores' | 'settings'>>;

/**
 * Reads `PORT`, `DATA_DIR`, `DATABASE_URL`, `MIGRATION_DATABASE_URL`, `REDIS_URL` and the variables that the processes themselves read.
 * @param say told when the usual port is taken and another one is used
 * @throws Error in a sentence when PORT is no port, or is taken
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
  };
}

async function choosePort(wanted: string | undefined, say: (line: string) => void): Promise<number> {
  if (wanted !== undefined) {
    const port = Number(wanted);
    if (!Number.isInteger(port) || port < 1 || port > portMax)
      throw new Error(`PORT must be a number from 1 to ${portMax}; it is "${wanted}".`);
    if (!(await portIsFree(port, everywhere))) throw new Error(`Port ${port} is taken. Free it, or set PORT to another one.`);
    return port;
  }
  for (let port = defaultPort; port < defaultPort + portsTried; port += 1) {
    if (!(await portIsFree(port, everywhere))) continue;
    if (port !== defaultPort) say(`Port ${defaultPort} is taken: using ${port}.`);
    return port;
  }
  throw new Error(`No free port from ${defaultPort} on. Set PORT.`);
}

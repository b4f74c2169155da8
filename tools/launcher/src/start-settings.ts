import { join } from 'node:path';
import { portIsFree } from './free-port';
import { inheritedVariables } from './system/environment';
import { workspaceRoot } from './workspace-root';
import type { SystemOptions } from './system/start-system';

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

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OWN_SECRETS, secretOfService } from './compose/parts';
import { deployed, secretsOf, servicesWithDatabase } from './deployed';
import { STORE_PORTS, USER_ID } from './locations';

const SECRET_BYTES = 32;

interface StoreHosts {
  readonly postgres: string;
  readonly redis: string;
}

const COMPOSE_STORES: StoreHosts = { postgres: `postgres:${STORE_PORTS.postgres}`, redis: `redis:${STORE_PORTS.redis}` };

export const isRoot = (): boolean => process.getuid?.() === 0;

const newPassword = (): string => randomBytes(SECRET_BYTES).toString('base64url');

function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const keyRings = new Set(deployed.flatMap(({ definition }) => definition.keyRings ?? []));

/**
 * Creates every missing secret named in `compose.yaml`; optional ones become empty files for the operator to fill.
 * Created by root, files are readable only by the containers' user.
 * @param folder of the Compose file
 * @returns relative paths of the created files
 */
export function makeSecrets(folder: string, { postgres, redis }: StoreHosts = COMPOSE_STORES): readonly string[] {
  const made: string[] = [];
  const keep = (file: string, make: () => string, readers: 'ours' | 'all' = 'ours'): string => {
    const path = join(folder, file);
    if (existsSync(path)) return readFileSync(path, 'utf8').trim();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const text = make();
    writeFileSync(path, text === '' ? '' : `${text.trimEnd()}\n`, { mode: readers === 'ours' ? 0o400 : 0o444 });
    if (readers === 'ours' && isRoot()) chownSync(path, USER_ID, USER_ID);
    made.push(file);
    return text;
  };
  const postgresUrl = (role: string, password: string, database: string): string =>
    `postgresql://${role}:${password}@${postgres}/${database}`;

  const { postgresPassword, administrator, redisUsers } = OWN_SECRETS;
  const password = keep(postgresPassword.file, newPassword, 'all');
  keep(administrator.file, () => postgresUrl('postgres', password, 'postgres'));
  const users = keep(redisUsers.file, () => `user default on >${newPassword()} ~* &* +@all`, 'all');
  const redisPassword = />(\S+)/.exec(users)?.[1] ?? '';

  for (const service of new Set(deployed.map((process) => process.service))) {
    const name = service.replaceAll('-', '_');
    const makers: Readonly<Record<string, () => string>> = {
      DATABASE_URL: () => postgresUrl(name, newPassword(), name),
      REDIS_URL: () => `redis://:${redisPassword}@${redis}`,
      SIGNING_KEY: newSigningKey,
      ...Object.fromEntries([...keyRings].map((ring) => [ring, () => `k1:${randomBytes(SECRET_BYTES).toString('base64')}`])),
    };
    for (const secret of secretsOf(service))
      keep(secretOfService(service, secret).file, makers[secret.name] ?? (secret.isRequired ? newPassword : () => ''));
    if (servicesWithDatabase.includes(service))
      keep(secretOfService(service, { name: 'MIGRATION_DATABASE_URL' }).file, () => postgresUrl(`${name}_owner`, newPassword(), name));
  }
  return made;
}

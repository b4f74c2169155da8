import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Redis from 'ioredis';
import type { Client } from 'pg';

/** Where each secret was found: `<place>: <name of the secret>`. Also in hex and base64, as bytes are shown. */
export function findCanaries(places: Readonly<Record<string, string>>, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret === '') throw new Error(`${name} is empty`);
    const bytes = Buffer.from(secret);
    const forms = [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)];
    return Object.entries(places)
      .filter(([, text]) => forms.some((form) => text.includes(form)))
      .map(([place]) => `${place}: ${name}`);
  });
}

/** Every key of a Redis with its value, as text. */
export async function readRedis(redis: Redis): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const value = type === 'string' ? await redis.get(key) : type === 'hash' ? await redis.hgetall(key) : type === 'stream' ? (await redis.xrevrange(key, '+', '-', 'COUNT', 100)) : await redis.dump(key);
    lines.push(`${key} ${JSON.stringify(value)}`);
  }
  return lines.join('\n');
}

/** Every row of every table of a database's own schema, as JSON; bytes are hex. */
export async function readTables(client: Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(`SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()`);
  const texts: string[] = [];
  for (const { name } of tables) texts.push(JSON.stringify((await client.query(`SELECT to_jsonb(t) AS row FROM ${name} t`)).rows));
  return texts.join('\n');
}

/** The ops port of each process, by the line with which it says where it listens. */
export function opsPorts(logs: string): [string, number][] {
  return readdirSync(logs).flatMap((file): [string, number][] => {
    const port = /"ops_port":(\d+)/.exec(readFileSync(join(logs, file), 'utf8'))?.[1];
    return port === undefined ? [] : [[file.replace(/\.log$/, ''), Number(port)]];
  });
}

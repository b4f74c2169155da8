import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Redis from 'ioredis';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** Forms of a secret in text: plain, hex, base64, as shown bytes, and URL-encoded. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)];
}

/** Returns `<place>: <name of the secret>` for each occurrence. */
export function findCanaries(places: Readonly<Record<string, string>>, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret === '') throw new Error(`${name} is empty`);
    return Object.entries(places)
      .filter(([, text]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([place]) => `${place}: ${name}`);
  });
}

/** Every key and value of a Redis as text. */
export async function readRedis(redis: Redis): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const value =
      type === 'string'
        ? await redis.get(key)
        : type === 'hash'
          ? await redis.hgetall(key)
          : type === 'stream'
            ? await redis.xrevrange(key, '+', '-', 'COUNT', 100)
            : await redis.dump(key);
    lines.push(`${key} ${JSON.stringify(value)}`);
  }
  return lines.join('\n');
}

/**
 * Returns `<database>.<table>: <name of the secret>` for each occurrence in the database's own schema. Tables are read
 * as COPY writes them, with bytes in hex.
 */
export async function findInTables(databaseUrl: string, secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ database: string; name: string }>(
      `SELECT current_database() AS database, quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r'
        AND relnamespace = current_schema()::regnamespace`,
    );
    const found: string[] = [];
    for (const { database, name: table } of tables) {
      const names = await findInStream(client.query(copyTo(`COPY ${table} TO STDOUT`)), secrets);
      found.push(...names.map((name) => `${database}.${table}: ${name}`));
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Names of secrets in a stream, including any split across two chunks. */
export async function findInStream(pieces: AsyncIterable<Buffer>, secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const forms = Object.entries(secrets).flatMap(([name, secret]) => formsOf(secret).map((form) => [name, form] as const));
  const longest = Math.max(...forms.map(([, form]) => form.length));
  const anyForm = new RegExp(forms.map(([, form]) => form.replace(/[^A-Za-z0-9]/g, '\\$&')).join('|'));
  const found = new Set<string>();
  let before = '';
  for await (const piece of pieces) {
    const text = before + piece.toString('latin1');
    if (anyForm.test(text)) for (const [name, form] of forms) if (text.includes(form)) found.add(name);
    before = text.slice(1 - longest);
  }
  return [...found].sort();
}

export function opsPorts(logs: string): [string, number][] {
  return readdirSync(logs).flatMap((file): [string, number][] => {
    const port = /"ops_port":(\d+)/.exec(readFileSync(join(logs, file), 'utf8'))?.[1];
    return port === undefined ? [] : [[file.replace(/\.log$/, ''), Number(port)]];
  });
}

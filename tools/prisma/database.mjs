import pg from 'pg';

/** Separate fields, because with a URL the adapter's shadow connection uses the main database. */
export function connectionOf(url) {
  const parts = new URL(url);
  return {
    host: parts.hostname,
    port: Number(parts.port || 5432),
    user: decodeURIComponent(parts.username),
    password: decodeURIComponent(parts.password),
    database: decodeURIComponent(parts.pathname.slice(1)),
  };
}

export async function createDatabase(url) {
  const connection = connectionOf(url);
  await withClient({ ...connection, database: 'postgres' }, (client) =>
    client.query(`CREATE DATABASE ${client.escapeIdentifier(connection.database)}`),
  );
  return { databaseName: connection.database };
}

export async function canConnect(url) {
  await withClient(connectionOf(url), async () => undefined);
}

export function errorCodeOf(error) {
  return { '3D000': 'P1003', '28P01': 'P1000', '42P04': 'P1009' }[error.code] ?? 'P1001';
}

export async function withClient(connection, work) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

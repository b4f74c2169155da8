import { PrismaPg } from '@prisma/adapter-pg';

export interface PrismaAdapterOptions {
  /** Most connections; default 5. */
  readonly max?: number;
  /** Time to get a connection, milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Time of one statement, milliseconds; default 10,000. */
  readonly statementTimeoutMs?: number;
}

/** The driver adapter for a service's Prisma client: `new PrismaClient({ adapter: createPrismaAdapter(url) })`. */
export function createPrismaAdapter(url: string, options: PrismaAdapterOptions = {}): PrismaPg {
  const { max = 5, connectTimeoutMs = 5_000, statementTimeoutMs = 10_000 } = options;
  return new PrismaPg({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
  });
}

import { unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';
import type { PrismaClient } from '../generated/prisma/client';
import type { PacketReader } from '../packets/packet-reader';
import { fromPacketRow } from './packet-row';

/** Retained packets in Postgres. Failures that pass by themselves become UNAVAILABLE. */
export function createPrismaPacketReader(prisma: PrismaClient): PacketReader {
  return {
    async newest(symbol) {
      const row = await whileAvailable(prisma.packet.findFirst({ where: { symbol }, orderBy: { windowEndMs: 'desc' } }));
      return row === null ? undefined : fromPacketRow(row);
    },
    async list(span, afterMs, count) {
      const windowEndMs = { gte: bound(span.fromMs), lt: bound(span.toMs), gt: bound(afterMs) };
      const where = { symbol: span.symbol, windowEndMs };
      const rows = await whileAvailable(prisma.packet.findMany({ where, orderBy: { windowEndMs: 'asc' }, take: count }));
      return rows.map(fromPacketRow);
    },
  };
}

function bound(timeMs: number | null): bigint | undefined {
  return timeMs === null ? undefined : BigInt(timeMs);
}

async function whileAvailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isTransientDatabaseError(error)) throw error;
    throw unavailable('upstream_unavailable', 'Packets cannot be read just now.', { cause: error });
  }
}

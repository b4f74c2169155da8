import type { FeedName, SourceKind } from '@market-state/market-data';
import { createPrismaAdapter } from '@market-state/postgres';
import { type FeedState as FeedStateRow, PrismaClient } from '../generated/prisma/client';
import type { FeedState, FeedStateStore, Opening, Progress } from './feed-state';
import type { Anchor } from './pace';

/** An instrument as the feed tells the other processes. */
export interface ToldInstrument {
  readonly symbol: string;
  readonly feed: FeedName;
  readonly venue: string;
  readonly venueInstrument: string;
  readonly contractValue?: string;
  readonly sourceKind: SourceKind;
}

/** The feed's state in the service's own database. `close` ends its connections. */
export interface PostgresFeedStateStore extends FeedStateStore {
  /** Tells which instruments are played; those told before that are not among them stay. */
  tellInstruments(instruments: readonly ToldInstrument[]): Promise<void>;
  /** Rejects when the database can't be reached or has no such table. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createFeedStateStore(databaseUrl: string): PostgresFeedStateStore {
  const prisma = new PrismaClient({ adapter: createPrismaAdapter(databaseUrl, { max: 3 }) });
  return {
    async read(symbol) {
      const row = await prisma.feedState.findUnique({ where: { symbol } });
      return row === null ? undefined : fromRow(row);
    },
    async begin(state) {
      const { symbol, epoch, pass, shiftMs, passFirstOrdinal, opening, openingStartMs, recording } = state;
      const data = {
        epoch,
        pass,
        shiftMs: BigInt(shiftMs),
        passFirstOrdinal: BigInt(passFirstOrdinal),
        opening,
        openingStartMs: BigInt(openingStartMs),
        recording,
        ...toProgressColumns(state.progress),
        ...toAnchorColumns(state.anchor),
      };
      await prisma.feedState.upsert({ where: { symbol }, create: { symbol, ...data }, update: data });
    },
    async saveProgress(symbol, progress) {
      await prisma.feedState.update({ where: { symbol }, data: toProgressColumns(progress) });
    },
    async saveAnchor(symbol, anchor) {
      await prisma.feedState.update({ where: { symbol }, data: toAnchorColumns(anchor) });
    },
    async tellInstruments(instruments) {
      await prisma.$transaction(
        instruments.map(({ symbol, contractValue, ...told }) => {
          const data = { ...told, contractValue: contractValue ?? null };
          return prisma.servedInstrument.upsert({ where: { symbol }, create: { symbol, ...data }, update: data });
        }),
      );
    },
    async ping() {
      await prisma.feedState.count();
    },
    close: () => prisma.$disconnect(),
  };
}

function toProgressColumns(progress: Progress) {
  return {
    lastOrdinal: BigInt(progress.lastOrdinal),
    lastFeedClockMs: BigInt(progress.lastFeedClockMs),
    safeExchangeTsMs: BigInt(progress.safeExchangeTsMs),
    reservedOrdinal: BigInt(progress.reservedOrdinal),
    reservedFeedClockMs: BigInt(progress.reservedFeedClockMs),
  };
}

function toAnchorColumns(anchor: Anchor | undefined) {
  if (anchor === undefined) return { anchorWallMs: null, anchorFeedMs: null, anchorSpeed: null };
  return { anchorWallMs: BigInt(anchor.wallMs), anchorFeedMs: BigInt(anchor.feedMs), anchorSpeed: anchor.speed };
}

function fromRow(row: FeedStateRow): FeedState {
  return {
    symbol: row.symbol,
    epoch: row.epoch,
    pass: row.pass,
    shiftMs: Number(row.shiftMs),
    passFirstOrdinal: Number(row.passFirstOrdinal),
    opening: toOpening(row.opening),
    openingStartMs: Number(row.openingStartMs),
    recording: row.recording,
    progress: {
      lastOrdinal: Number(row.lastOrdinal),
      lastFeedClockMs: Number(row.lastFeedClockMs),
      safeExchangeTsMs: Number(row.safeExchangeTsMs),
      reservedOrdinal: Number(row.reservedOrdinal),
      reservedFeedClockMs: Number(row.reservedFeedClockMs),
    },
    anchor: toAnchor(row),
  };
}

function toOpening(text: string): Opening {
  switch (text) {
    case 'first':
    case 'seam':
    case 'log_lost':
    case 'feed_down':
      return text;
    default:
      throw new Error(`feed_state holds an unknown opening: ${JSON.stringify(text)}`);
  }
}

function toAnchor({ anchorWallMs, anchorFeedMs, anchorSpeed }: FeedStateRow): Anchor | undefined {
  if (anchorWallMs === null || anchorFeedMs === null || anchorSpeed === null) return undefined;
  return { wallMs: Number(anchorWallMs), feedMs: Number(anchorFeedMs), speed: anchorSpeed };
}

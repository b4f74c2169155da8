import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { VenueClock } from '@market-state/venues';
import type { Delivered } from './delivery';
import type { RecordedMarket, RecordedMessage, TrueBook } from './recorded-market';

const CHUNK = 32;
const AWAY_MAX = 300;
/** Minimum levels per side of a partial book; the maximum is twice this. */
const PARTIAL_LEVELS_MIN = 50;
/** Diffs between two stored books used as outdated answers. */
const OLD_BOOK_EVERY = 150;

/** A loopback Binance that plays a faulty segment; its REST route answers late, with an old book, or not at all. */
export interface FaultyVenue {
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly clock: VenueClock;
  readonly awayMs: readonly number[];
  readonly lastText: string;
  readonly counts: { disconnects: number; refusedBooks: number; oldBooks: number; partialBooks: number; books: number };
  play(): Promise<void>;
  close(): Promise<void>;
}

export interface FaultyVenueOptions {
  readonly recorded: RecordedMarket;
  readonly made: readonly RecordedMessage[];
  readonly delivered: readonly Delivered[];
  readonly book: TrueBook;
  readonly random: () => number;
}

export async function startFaultyVenue({ recorded, made, delivered, book, random }: FaultyVenueOptions): Promise<FaultyVenue> {
  const { market, instrument } = recorded;
  const symbol = instrument.venueInstrument;
  const counts = { disconnects: 0, refusedBooks: 0, oldBooks: 0, partialBooks: 0, books: 0 };
  const awayMs: number[] = [];
  let nowMs = made[0]?.receivedMs ?? 0;
  let madeTotal = 0;
  let old = book.copy();
  let diffTotal = 0;
  let subscriber: WebSocket | undefined;
  let arrived = (): void => undefined;

  function makeUpTo(total: number): void {
    for (; madeTotal < total; madeTotal++) {
      const diff = made[madeTotal]?.diff;
      if (diff === undefined) continue;
      if (diffTotal++ % OLD_BOOK_EVERY === 0) old = book.copy();
      book.apply(diff);
    }
  }

  async function answerDepth(response: ServerResponse): Promise<void> {
    const chance = random();
    for (let turns = Math.floor(random() * 6); turns > 0; turns--) await turn();
    if (chance < 0.1) {
      counts.refusedBooks++;
      response.writeHead(503).end();
      return;
    }
    const name = market === 'coinm' ? symbol : undefined;
    if (chance < 0.25) {
      counts.oldBooks++;
      response.end(old.answer(name));
    } else if (chance < 0.5) {
      counts.partialBooks++;
      response.end(book.answer(name, PARTIAL_LEVELS_MIN + Math.floor(random() * PARTIAL_LEVELS_MIN)));
    } else {
      counts.books++;
      response.end(book.answer(name));
    }
  }

  const server = createServer((request, response) => {
    const route = new URL(request.url ?? '/', 'http://venue').pathname.split('/').at(-1);
    if (route === 'depth') void answerDepth(response);
    else if (route === 'exchangeInfo') response.end(JSON.stringify({ symbols: [{ symbol, contractType: 'PERPETUAL' }] }));
    else if (route === 'fundingInfo') response.end('[]');
    else response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) =>
    socket.on('message', () => {
      socket.send('{"result":null,"id":1}');
      if (request.url === '/market/stream') return;
      subscriber = socket;
      arrived();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  async function client(): Promise<WebSocket> {
    if (subscriber === undefined) await new Promise<void>((resolve) => (arrived = resolve));
    return subscriber as WebSocket;
  }

  /** Disconnects the client, which misses some messages. @returns index at which it resumes */
  function breakOff(index: number): number {
    counts.disconnects++;
    subscriber?.terminate();
    subscriber = undefined;
    const next = index + 1 + Math.floor(random() * AWAY_MAX);
    for (const { diff, made: total } of delivered.slice(index + 1, next)) {
      makeUpTo(total);
      if (diff !== undefined) awayMs.push(diff.T);
    }
    return next;
  }

  return {
    wsUrl: `ws://127.0.0.1:${port}`,
    restUrl: `http://127.0.0.1:${port}`,
    clock: { nowMs: () => nowMs },
    awayMs,
    lastText: delivered.at(-1)?.text ?? '',
    counts,
    async play() {
      let index = 0;
      while (index < delivered.length) {
        const socket = await client();
        const end = Math.min(index + CHUNK, delivered.length);
        while (index < end) {
          const message = delivered[index] as Delivered;
          nowMs = Math.max(nowMs, message.receivedMs);
          makeUpTo(message.made);
          socket.send(message.text);
          if (message.breaks) {
            index = breakOff(index);
            break;
          }
          index++;
        }
        do await turn();
        while (subscriber !== undefined && subscriber.bufferedAmount > 0);
      }
      makeUpTo(made.length);
    },
    close: async () => {
      for (const open of sockets.clients) open.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

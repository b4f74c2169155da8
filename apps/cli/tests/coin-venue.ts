import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Loopback venue that speaks Hyperliquid's protocol and lists the coins of a test. */
export interface CoinVenue {
  readonly url: string;
  readonly connections: number;
  /** One line per subscription. */
  readonly subscribed: readonly string[];
  /** Replaces the coins of the metadata. */
  list(coins: readonly string[]): void;
  /** Stops pushing data; pings and requests still get answers. */
  fallSilent(): void;
  cut(): void;
  close(): Promise<void>;
}

const PUSH_EVERY_MS = 50;

interface Request {
  readonly method: string;
  readonly subscription?: { readonly type: string; readonly coin: string };
}

export async function startCoinVenue(...listed: readonly string[]): Promise<CoinVenue> {
  let coins = listed;
  let isSilent = false;
  let connections = 0;
  const subscribed: string[] = [];
  const books = new Map<WebSocket, Set<string>>();

  const bookOf = (coin: string) => {
    const level = (px: string) => [{ px, sz: '1.5', n: 1 }];
    return { coin, time: Date.now(), levels: [level('100'), level('101')] };
  };

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { type, coin = '' } = JSON.parse(body) as { type: string; coin?: string };
      const universe = coins.map((name) => ({ name, szDecimals: 3, maxLeverage: 10 }));
      const answer = type === 'metaAndAssetCtxs' ? [{ universe }, universe.map(() => ({}))] : type === 'l2Book' ? bookOf(coin) : [];
      response.end(JSON.stringify(answer));
    });
  });
  const sockets = new WebSocketServer({ server, path: '/ws' });
  sockets.on('connection', (socket) => {
    connections += 1;
    const pushed = new Set<string>();
    books.set(socket, pushed);
    socket.on('close', () => books.delete(socket));
    socket.on('message', (data: Buffer) => {
      const { method, subscription } = JSON.parse(data.toString()) as Request;
      if (method === 'ping') return socket.send('{"channel":"pong"}');
      if (subscription?.type === 'l2Book' && method === 'subscribe') {
        subscribed.push(subscription.coin);
        pushed.add(subscription.coin);
      }
      socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
    });
  });
  const pushing = setInterval(() => {
    if (isSilent) return;
    for (const [socket, pushed] of books)
      for (const coin of pushed) if (coins.includes(coin)) socket.send(JSON.stringify({ channel: 'l2Book', data: bookOf(coin) }));
  }, PUSH_EVERY_MS);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    subscribed,
    list(names) {
      coins = names;
    },
    fallSilent() {
      isSilent = true;
    },
    cut: () => books.forEach((_pushed, socket) => socket.terminate()),
    async close() {
      clearInterval(pushing);
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

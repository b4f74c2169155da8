import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** Loopback venue with the part of Hyperliquid's protocol that the feed needs, scripted by the test. */
export interface StandInVenue {
  /** `host:port`. */
  readonly address: string;
  connections(): number;
  /** Book requests so far. */
  snapshots(): number;
  /** Start times of payment requests, in order. */
  readonly paymentsSince: readonly number[];
  /** Adds a payment to later responses. */
  payment(timeMs: number): void;
  /** Sends a frame to all trade subscribers. */
  send(text: string): void;
  book(timeMs: number, bid?: string, ask?: string): void;
  /** Also part of the backlog of later subscriptions. */
  trade(timeMs: number, ...tids: readonly number[]): void;
  /** Sets the coins of the metadata. */
  list(coins: readonly string[]): void;
  /** Cuts every connection. */
  cut(): void;
  /** Refuses or accepts connections from now on. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

const coin = 'SIM';
const level = (px: string) => [{ px, sz: '1.5', n: 1 }];
const bookOf = (time: number, bid: string, ask: string) => ({ coin, time, levels: [level(bid), level(ask)] });
const tradesOf = (time: number, tids: readonly number[]) =>
  tids.map((tid) => ({ coin, side: 'B', px: '100.5', sz: '0.25', time, hash: '0x0', tid, users: ['0x0', '0x1'] }));

const tradeFrame = (data: readonly object[]) => JSON.stringify({ channel: 'trades', data });
/** Trades at the start of a subscription. */
const backlogMax = 10;

export async function startStandInVenue(): Promise<StandInVenue> {
  let connections = 0;
  let snapshots = 0;
  const paymentsSince: number[] = [];
  const payments: { readonly coin: string; readonly fundingRate: string; readonly premium: string; readonly time: number }[] = [];
  let isRefusing = false;
  let recent: readonly object[] = [];
  let book = bookOf(Date.now(), '100', '101');
  let coins: readonly string[] = [coin];
  const sockets = new Set<WebSocket>();

  function answer({ type, startTime = 0 }: { readonly type: string; readonly startTime?: number }): unknown {
    if (type === 'fundingHistory') {
      paymentsSince.push(startTime);
      return payments.filter(({ time }) => time >= startTime);
    }
    if (type === 'metaAndAssetCtxs')
      return [
        { universe: coins.map((name) => ({ name, szDecimals: 3, maxLeverage: 10 })) },
        coins.map(() => ({
          funding: '0.00001',
          openInterest: '12.5',
          oraclePx: '100.4',
          markPx: '100.5',
          midPx: '100.5',
          dayNtlVlm: '1000.0',
        })),
      ];
    if (type === 'recentTrades') return recent;
    if (type !== 'l2Book') return [];
    snapshots += 1;
    return book;
  }

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(JSON.parse(body) as { type: string }))),
    );
  });
  const webSocket = new WebSocketServer({ server, path: '/ws', verifyClient: () => !isRefusing });
  webSocket.on('connection', (socket) => {
    connections += 1;
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { method: string; subscription?: { type: string } };
      if (message.method === 'ping') return socket.send('{"channel":"pong"}');
      socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: message }));
      if (message.subscription?.type !== 'trades') return;
      if (recent.length > 0) socket.send(tradeFrame(recent));
      sockets.add(socket);
    });
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const send = (text: string): void => sockets.forEach((socket) => socket.send(text));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    snapshots: () => snapshots,
    paymentsSince,
    payment: (time) => payments.push({ coin, fundingRate: '0.0000125', premium: '0.0', time }),
    send,
    book(timeMs, bid = '100', ask = '101') {
      book = bookOf(timeMs, bid, ask);
      send(JSON.stringify({ channel: 'l2Book', data: book }));
    },
    trade(timeMs, ...tids) {
      const trades = tradesOf(timeMs, tids);
      recent = [...recent, ...trades].slice(-backlogMax);
      send(tradeFrame(trades));
    },
    list(listed) {
      coins = listed;
    },
    cut: () => sockets.forEach((socket) => socket.terminate()),
    refuse(refuses) {
      isRefusing = refuses;
    },
    async close() {
      webSocket.clients.forEach((socket) => socket.terminate());
      webSocket.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface UpgradeRequest extends IncomingMessage {
  /** Set by Node's parser. */
  upgrade?: boolean | null;
}

/** True for a WebSocket handshake. */
export function isUpgrade(req: IncomingMessage): boolean {
  return (req as UpgradeRequest).upgrade === true;
}

/** Requests that offer another protocol, such as h2c, stay with HTTP. */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Time to read the last answer, in milliseconds. */
const LINGER_MS = 500;

export function endConnection(socket: Duplex, lastBytes: string): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(lastBytes);
}

type Answering = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** Another answer's head is out, so further bytes would be read as part of it. */
export function isAnswering(socket: Duplex): boolean {
  return (socket as Answering)._httpMessage?.headersSent === true;
}

/** No longer among the connections that Node's `closeAllConnections` cuts. */
const upgraded = new WeakMap<Server, Set<Duplex>>();

export function cutUpgraded(server: Server): void {
  for (const socket of upgraded.get(server) ?? []) socket.destroy();
}

/** Gives each handshake a response of HTTP, for a refusal. Node no longer watches the connection. */
export function serveUpgrades(server: Server, Response: typeof ServerResponse, listener: RequestListener): void {
  const sockets = new Set<Duplex>();
  upgraded.set(server, sockets);
  server.on('upgrade', (req, socket, head) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => socket.destroy());
    // Pipelined behind a request that still waits for its answer.
    if ((socket as Answering)._httpMessage) {
      socket.destroy();
      return;
    }
    if (head.length > 0) socket.unshift(head);
    const res = new Response(req);
    res.shouldKeepAlive = false;
    res.assignSocket(req.socket);
    res.once('finish', () => endConnection(socket, ''));
    listener(req, res);
  });
}

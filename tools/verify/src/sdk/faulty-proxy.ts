import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closer } from '@market-state/lifecycle';
import { oneOf } from '@market-state/testing';

/** Faults: never forwarded, answered and lost, cut in the middle of the answer, or refused on the way. */
const FAULTS = ['refused', 'lost', 'cut', 'busy', 'limited'] as const;

type Fault = (typeof FAULTS)[number];

export interface Passed {
  readonly requestId: string;
  readonly fault: Fault | null;
  /** Status of the gateway's answer; null if not forwarded. */
  readonly status: number | null;
  readonly charged: number;
}

export interface FaultyProxy {
  readonly url: string;
  readonly passed: readonly Passed[];
  cuts(): number;
}

export interface ProxySettings {
  readonly target: string;
  readonly random: () => number;
  /** Fault probability per request, except streams. */
  readonly faults: number;
  readonly cuts: number;
}

const PIECES_MAX = 12;

export async function openFaultyProxy(closer: Closer, { target, random, faults, cuts: cutsWanted }: ProxySettings): Promise<FaultyProxy> {
  const agent = new Agent({ keepAlive: true });
  const passed: Passed[] = [];
  let cuts = 0;

  function serve(req: IncomingMessage, res: ServerResponse): void {
    const requestId = String(req.headers['x-request-id']);
    const isStream = req.headers.accept === 'text/event-stream';
    const fault = !isStream && random() < faults ? oneOf(FAULTS, random) : null;
    const note = (status: number | null, charged = 0): void => void passed.push({ requestId, fault, status, charged });
    if (fault === 'refused' || fault === 'busy' || fault === 'limited') {
      note(null);
      if (fault === 'refused') req.socket.resetAndDestroy();
      else if (fault === 'busy') res.writeHead(503, { 'retry-after': '0' }).end('<html>busy</html>');
      else res.writeHead(429).end();
      return;
    }
    const requested = request(`${target}${req.url ?? ''}`, { method: req.method, headers: req.headers, agent }, (answer) => {
      if (isStream) return passStream(answer, res);
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', () => res.destroy());
      answer.on('end', () => {
        note(answer.statusCode ?? 0, Number(answer.headers['x-credits-charged'] ?? 0));
        const body = Buffer.concat(pieces);
        if (fault === 'lost') return void req.socket.resetAndDestroy();
        res.writeHead(answer.statusCode ?? 0, { ...answer.headers, 'content-length': body.length });
        if (fault === 'cut') return void res.write(body.subarray(0, body.length / 2), () => req.socket.resetAndDestroy());
        res.end(body);
      });
    });
    requested.on('error', () => {
      if (!isStream) note(null);
      res.destroy();
    });
    res.on('close', () => res.writableEnded || requested.destroy());
    req.pipe(requested);
  }

  function passStream(answer: IncomingMessage, res: ServerResponse): void {
    let left = 1 + Math.floor(random() * PIECES_MAX);
    res.writeHead(answer.statusCode ?? 0, answer.headers);
    const pass = (piece: Buffer): void => {
      const isCut = cuts < cutsWanted && (left -= 1) === 0;
      if (!isCut) return void res.write(piece);
      cuts += 1;
      answer.off('data', pass);
      // Cuts within a message, so that its received part is unusable.
      res.write(piece.subarray(0, Math.floor(random() * piece.length)), () => res.destroy());
      answer.destroy();
    };
    answer.on('data', pass);
    answer.on('end', () => res.end());
    answer.on('error', () => res.destroy());
    res.on('close', () => answer.destroy());
  }

  const server = createServer(serve).listen(0, '127.0.0.1');
  // An idle connection closed just as a call is sent would be an attempt not seen here.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  closer.add('faulty proxy', async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    agent.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    cuts: () => cuts,
  };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const SYMBOLS = 10;
const BASE = 'BTCUSD-PERP';
const WINDOW_MS = 10_000;
const TURN_MS = 10;

/** Messages per second over all streams; 0 sends none. */
export interface Rates {
  readonly rows: number;
  readonly packets: number;
}

/** A gateway proxy that replaces the streams with messages at set rates; everything else is the gateway's. */
export interface BusyFront {
  readonly url: string;
  setRates(rates: Rates): void;
  sent(): number;
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Real messages to repeat with new ids and times. */
export interface Templates {
  readonly packets: readonly Fields[];
  readonly rows: readonly Fields[];
}

const nameOf = (place: number): string => (place === 0 ? BASE : `B${place}USD-PERP`);

/** Exchange time advances at this row rate, however fast rows are sent. */
const ROWS_A_SECOND = 100;

/** Proxies the gateway at `target`: ten symbols in place of one, and streams at the set rates. */
export async function openBusyFront(target: string, templates: Templates): Promise<BusyFront> {
  const readers = new Map<ServerResponse, 'rows' | 'packets'>();
  const owed = { rows: 0, packets: 0 };
  let rates: Rates = { rows: 0, packets: 0 };
  let total = 0;
  const startMs = Date.now();

  function messageOf(kind: 'rows' | 'packets'): string {
    total += 1;
    if (kind === 'rows') {
      const row = templates.rows[total % templates.rows.length] as { readonly row: Fields };
      const data = { ...row, row: { ...row.row, exchange_ts_ms: startMs + (1_000 * total) / ROWS_A_SECOND, venue_id: `bench-${total}` } };
      return `id: r-${total}\nevent: row\ndata: ${JSON.stringify(data)}\n\n`;
    }
    const turn = Math.floor(total / SYMBOLS);
    const packet = {
      ...templates.packets[turn % templates.packets.length],
      symbol: nameOf(total % SYMBOLS),
      event_id: `evt_bench${total}`,
      window_end_utc: new Date(Math.floor(startMs / WINDOW_MS) * WINDOW_MS + turn * WINDOW_MS).toISOString(),
    };
    return `id: p-${total}\nevent: packet\ndata: ${JSON.stringify(packet)}\n\n`;
  }

  const timer = setInterval(() => {
    for (const kind of ['rows', 'packets'] as const) {
      owed[kind] += (rates[kind] * TURN_MS) / 1_000;
      const due = Math.floor(owed[kind]);
      owed[kind] -= due;
      for (const [reader, wanted] of readers) if (wanted === kind && due > 0 && reader.writableLength === 0) sendTo(reader, kind, due);
    }
  }, TURN_MS);

  function sendTo(reader: ServerResponse, kind: 'rows' | 'packets', due: number): void {
    reader.write(Array.from({ length: due }, () => messageOf(kind)).join(''));
  }

  function serve(req: IncomingMessage, res: ServerResponse): void {
    const { pathname, searchParams } = new URL(req.url ?? '', target);
    if (pathname.endsWith('/stream')) {
      readers.set(res, pathname.includes('/data/') ? 'rows' : 'packets');
      res.on('close', () => readers.delete(res));
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
      return;
    }
    const requested = searchParams.get('symbol') ?? '';
    const path = (req.url ?? '').replace(/B\dUSD-PERP/, BASE);
    const onward = request(
      `${target}${path}`,
      { method: req.method, headers: { ...req.headers, 'accept-encoding': 'identity' } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () => {
          const body = Buffer.concat(pieces);
          const isAll = pathname.endsWith('/latest') && requested === 'ALL';
          const sent = isAll
            ? Buffer.from(tenSymbols(body))
            : requested === ''
              ? body
              : Buffer.from(body.toString('utf8').replaceAll(BASE, requested));
          res.writeHead(answer.statusCode ?? 0, { ...answer.headers, 'content-length': sent.length }).end(sent);
        });
      },
    );
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  }

  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setRates: (next) => void (rates = next),
    sent: () => total,
    async close() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function tenSymbols(body: Buffer): string {
  const latest = JSON.parse(body.toString('utf8')) as { rows: Fields[] };
  const base = latest.rows.find(({ symbol }) => symbol === BASE);
  return JSON.stringify({ ...latest, rows: Array.from({ length: SYMBOLS }, (_none, place) => ({ ...base, symbol: nameOf(place) })) });
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chainOf } from './export-folder';

export interface ServedLine {
  readonly timeMs: number;
  readonly line: string;
}

export interface Served {
  lines?: readonly ServedLine[];
  candles?: readonly object[];
  keys?: readonly object[];
  /** Retention start. */
  keptFromMs?: number;
  /** Number of requests to answer with 503 first. */
  busy?: number;
}

export interface ExportApi {
  readonly url: string;
  readonly served: Served;
  close(): void;
}

/** Fake of the API routes that exports are compared with. Accepts the key `good`, and no key for the public keys. */
export async function startExportApi(): Promise<ExportApi> {
  const served: Served = {};
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://api');
    const [status, body] =
      request.headers['x-market-state-api-key'] === 'good' || url.pathname.startsWith('/.well-known/')
        ? answer(served, url)
        : [401, { detail: 'No such key.' }];
    response.writeHead(status, { 'retry-after': '0' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, served, close: () => server.close() };
}

function answer(served: Served, { pathname, searchParams }: URL): [number, object] {
  if ((served.busy ?? 0) > 0) {
    served.busy = (served.busy ?? 0) - 1;
    return [503, { detail: 'Busy.' }];
  }
  if (pathname.endsWith('/keys.json') || pathname.includes('well-known')) return [200, { keys: served.keys ?? [] }];
  if (pathname.endsWith('/candles')) return page(served.candles ?? [], searchParams.get('cursor') ?? '');
  return replay(served, Number(searchParams.get('start')), Number(searchParams.get('end')), searchParams.get('cursor') ?? '');
}

/** One candle per page. */
function page(candles: readonly object[], cursor: string): [number, object] {
  const at = Number(cursor);
  return [200, { rows: candles.slice(at, at + 1), next_cursor: at + 1 < candles.length ? String(at + 1) : null }];
}

/** Two pages; the receipt of the first covers half of the rows. */
function replay({ lines = [], keptFromMs = 0 }: Served, startMs: number, endMs: number, cursor: string): [number, object] {
  if (endMs <= keptFromMs) return [410, { detail: 'Not kept.' }];
  const within = lines.filter(({ timeMs }) => timeMs >= startMs && timeMs < endMs).map(({ line }) => line);
  const sent = cursor === '' ? within.slice(0, 1) : within;
  const completeness = { rows_sent: sent.length, rows_sha256: chainOf(sent), reasons: [] };
  return [200, { next_cursor: cursor === '' ? 'next' : null, completeness }];
}

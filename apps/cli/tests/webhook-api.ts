import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const EVENT = 'evt_1';
const ROUTES = {
  replay: '/api/public/market-state/replay?symbol=SIMUSD-PERP&cursor=rc1',
  replay_window: '/api/public/data/replay/window?symbol=SIMUSD-PERP&start=1&end=2',
};

export interface SentMessage {
  readonly id: string;
  readonly [field: string]: unknown;
}

export function alertMessage(id: string): SentMessage {
  return {
    type: 'alert.triggered',
    timestamp: '2026-11-24T02:40:12.000Z',
    id,
    tenant_id: 'ten_1',
    data: {
      symbol: 'SIMUSD-PERP',
      phase: 'triggered',
      condition: { score: 'novelty_score', change: 0.03, earlier_value: null },
      event_id: EVENT,
      routes: ROUTES,
      synthetic: true,
    },
    meta: {},
  };
}

export interface ServedMessages {
  readonly messages: SentMessage[];
}

export interface WebhookApi {
  readonly url: string;
  /** Adds a message and wakes waiting requests. */
  add(message: SentMessage): void;
  close(): void;
}

const document = {
  openapi: '3.1.0',
  webhooks: {
    'alert.triggered': {
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Alert' } } } } },
    },
  },
  components: {
    schemas: { Alert: { type: 'object', required: ['data'], properties: { data: { type: 'object', required: ['phase'] } } } },
  },
};

/** Fake of the API routes that a listener calls. Accepts the key `good`. */
export async function startWebhookApi(): Promise<WebhookApi> {
  const served: ServedMessages = { messages: [] };
  const woken = new EventEmitter();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://api');
    if (url.searchParams.get('wait_seconds') === '20' && !hasNew(served, url)) {
      woken.once('message', () => server.emit('request', request, response));
      return;
    }
    const isKnown = request.headers['x-market-state-api-key'] === 'good' || url.pathname === '/openapi.json';
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? answer(served, url) : { detail: 'No such key.' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(message) {
      served.messages.push(message);
      woken.emit('message');
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function hasNew({ messages }: ServedMessages, { searchParams }: URL): boolean {
  return messages.length > Number(searchParams.get('cursor'));
}

function answer({ messages }: ServedMessages, { pathname, searchParams }: URL): object {
  if (pathname === '/openapi.json') return document;
  if (pathname.endsWith('/latest')) return { rows: [{ symbol: 'BTCUSD-PERP' }, { symbol: 'SIMUSD-PERP' }] };
  if (pathname.endsWith('/market-state/replay')) return replay();
  if (pathname.endsWith('/replay/window')) return { completeness: { rows_sent: 142 }, next_cursor: null };
  const cursor = searchParams.get('cursor') ?? '0';
  const events = messages.slice(Number(cursor));
  return { events, next_cursor: String(messages.length) };
}

function replay(): object {
  return {
    packets: [{ event_id: EVENT }],
    window_start_utc: '2026-11-24T02:39:10.000Z',
    window_end_utc: '2026-11-24T02:40:10.000Z',
    lineage_verified: true,
    next_cursor: null,
  };
}

/** Data folder of a running system, as far as a listener reads it, and the authority of its certificates. */
export async function writeSystemFolder(folder: string, url: string): Promise<{ readonly authority: string }> {
  const { makeAuthority, makeServiceCertificate } = await import('@market-state/certificates');
  const valid = { fromMs: Date.now() - 60_000, toMs: Date.now() + 3_600_000 };
  const authority = await makeAuthority('Test', valid);
  const made = await makeServiceCertificate(authority, { name: 'localhost', ...valid });
  mkdirSync(join(folder, 'demo-tls'), { recursive: true });
  writeFileSync(join(folder, 'demo-tls', 'localhost.crt'), made.certificate);
  writeFileSync(join(folder, 'demo-tls', 'localhost.key'), made.key);
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify({ gateway: url }));
  writeFileSync(join(folder, 'demo-key'), 'good\n');
  return { authority: authority.certificate };
}

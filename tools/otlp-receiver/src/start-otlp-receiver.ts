import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the root span. */
  readonly parentSpanId?: string;
  /** 1 internal, 2 server, 3 client, 5 consumer. */
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** Collector behavior: accepts, answers 500, never answers, answers endlessly, or redirects. */
type Manner = 'takes' | 'fails' | 'hangs' | 'drips' | 'redirects';

/** A loopback collector for OTLP over HTTP. */
export interface OtlpReceiver {
  readonly endpoint: string;
  /** Accepted spans in order of arrival. */
  readonly spans: readonly ReceivedSpan[];
  /** All requests, including rejected ones. */
  readonly requestTotal: number;
  behave(manner: Manner): void;
  until(areWanted: (spans: readonly ReceivedSpan[]) => boolean): Promise<void>;
  nextRequest(): Promise<void>;
  close(): Promise<void>;
}

interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface SentSpan extends Pick<ReceivedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId' | 'kind'> {
  readonly status: { readonly code?: number };
  readonly attributes: readonly KeyValue[];
}

const ERROR = 2;
const DRIP_MS = 50;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const news = new EventEmitter();
  let [manner, requestTotal]: [Manner, number] = ['takes', 0];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requestTotal += 1;
    if (manner === 'takes') spans.push(...spansOf(request, Buffer.concat(chunks)));
    news.emit('request');
    await answer(response, manner);
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get requestTotal() {
      return requestTotal;
    },
    behave: (next) => void (manner = next),
    async until(areWanted) {
      while (!areWanted(spans)) await once(news, 'request');
    },
    async nextRequest() {
      await once(news, 'request');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(response: ServerResponse, manner: Manner): Promise<void> {
  switch (manner) {
    case 'takes':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return;
    case 'fails':
      response.writeHead(500).end('no');
      return;
    case 'redirects':
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
      return;
    case 'hangs':
      return;
    case 'drips':
      response.writeHead(200, { 'content-type': 'application/json' });
      while (!response.destroyed) {
        response.write(Buffer.alloc(65_536, 0x20));
        await delay(DRIP_MS);
      }
      return;
    default:
      throw new Error(`No collector behaves so: ${manner satisfies never}.`);
  }
}

/** @throws Error if the request is not an OTLP JSON trace export */
function spansOf({ url, method, headers }: IncomingMessage, body: Buffer): ReceivedSpan[] {
  if (method !== 'POST' || url !== '/v1/traces' || headers['content-type'] !== 'application/json')
    throw new Error(`Not an OTLP request: ${method} ${url} ${headers['content-type']}`);
  const { resourceSpans } = JSON.parse(body.toString('utf8')) as TracesRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, kind, status, attributes }) => ({
        service,
        name,
        traceId,
        spanId,
        ...(parentSpanId ? { parentSpanId } : {}),
        kind,
        failed: status.code === ERROR,
        attributes: valuesOf(attributes),
      })),
    );
  });
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? '']),
  );
}

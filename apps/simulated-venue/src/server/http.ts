import type { IncomingMessage, ServerResponse } from 'node:http';

const BODY_BYTES_MAX = 65_536;

/** The answer of a route. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The routes of the venue, all of them POST, by path. `body` is undefined where it is no JSON. */
export type Routes = Readonly<Record<string, (body: unknown) => Answer>>;

/** Answers one request; a body over 64 KiB ends it. */
export async function answerHttp(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routes[new URL(request.url ?? '/', 'http://venue').pathname];
  if (route === undefined) return send(response, { status: 404, body: { error: 'no such route' } });
  if (request.method !== 'POST') return send(response, { status: 405, body: { error: 'POST only' } });
  const text = await bodyOf(request);
  return send(
    response,
    text === undefined ? { status: 413, body: { error: `a body over ${BODY_BYTES_MAX} bytes` } } : route(parseJson(text)),
  );
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

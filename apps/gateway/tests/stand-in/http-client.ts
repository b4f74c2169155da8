import { Agent, request } from 'node:http';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Local address to call from. */
  readonly localAddress?: string;
}

const agent = new Agent({ keepAlive: false });

/** One HTTP request, without redirects or decoding. */
export function http(url: string, { method = 'GET', headers = {}, body, localAddress }: RawRequest = {}): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers }, agent, localAddress }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        let text: string | null = null;
        // Decoded on first use: a large download stays bytes.
        const textOf = (): string => (text ??= bytes.toString('utf8'));
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          get text() {
            return textOf();
          },
          json: <T>() => JSON.parse(textOf()) as T,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

import { type ClientRequest, request } from 'node:http';
import type { Closer } from '@market-state/lifecycle';
import { errorCodeOf } from '@market-state/testing';

export interface EventStream {
  /** 200 once open, the refusal's status, or 0 without an answer. */
  readonly status: number;
  readonly code: string;
  readonly retryAfterS: number;
  messages(): number;
  isOpen(): boolean;
  close(): void;
}

const ANSWER_MS_MAX = 20_000;

export interface StreamOrder {
  readonly key: string;
  readonly from: string;
  readonly isSlow?: boolean;
}

export function openStream(closer: Closer, url: string, { key, from, isSlow = false }: StreamOrder): Promise<EventStream> {
  return new Promise((resolve) => {
    let messages = 0;
    let open = false;
    const req: ClientRequest = request(url, {
      agent: false,
      localAddress: from,
      headers: { 'x-market-state-api-key': key, accept: 'text/event-stream' },
    });
    closer.add('stream', () => void req.destroy());
    const answer = (status: number, code = '', retryAfterS = 0): void =>
      resolve({ status, code, retryAfterS, messages: () => messages, isOpen: () => open, close: () => req.destroy() });
    const timer = setTimeout(() => req.destroy(), ANSWER_MS_MAX);
    req.on('error', () => undefined);
    req.on('close', () => {
      clearTimeout(timer);
      open = false;
      answer(0);
    });
    req.on('response', (res) => {
      clearTimeout(timer);
      res.setEncoding('utf8');
      res.on('error', () => undefined);
      if (res.statusCode !== 200) {
        let text = '';
        res.on('data', (piece: string) => (text += piece));
        res.on('end', () => answer(res.statusCode ?? 0, errorCodeOf({ text }), Number(res.headers['retry-after'] ?? 0)));
        return;
      }
      open = true;
      if (isSlow) res.pause();
      else res.on('data', (piece: string) => (messages += piece.split('\ndata:').length - 1));
      answer(200);
    });
    req.end();
  });
}

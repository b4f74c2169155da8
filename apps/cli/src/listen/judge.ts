import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Message, messageShape } from './message';
import type { SchemaCheck } from './schemas';

/** So long an id is known after it came: a message is tried for less than that. */
const KNOWN_MS = 5 * 86_400_000;
const KNOWN_MAX = 100_000;

/** What a receiver makes of a delivery. */
export type Verdict =
  /** Not from who knows the secret, or too old; `reason` ends a sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Its id came before. */
  | { readonly kind: 'repeat'; readonly id: string }
  /** `fault`: what is wrong with it by its schema. */
  | { readonly kind: 'message'; readonly id: string; readonly message: Message; readonly fault?: string };

/** Verifies deliveries, and knows those that came. */
export interface Judge {
  /** @param secret undefined while the endpoint is not registered */
  judge(body: Buffer, headers: IncomingHttpHeaders, secret: string | undefined): Verdict;
}

/** @param now epoch milliseconds */
export function createJudge(check: SchemaCheck, now: () => number): Judge {
  const known = new Map<string, number>();

  function isKnown(id: string): boolean {
    const nowMs = now();
    for (const [old, atMs] of known) {
      if (known.size <= KNOWN_MAX && nowMs - atMs < KNOWN_MS) break;
      known.delete(old);
    }
    if (known.has(id)) return true;
    known.set(id, nowMs);
    return false;
  }

  return {
    judge(body, headers, secret) {
      if (secret === undefined) return { kind: 'refused', reason: 'its secret is not known: this endpoint is not registered yet' };
      let content: unknown;
      try {
        content = new Webhook(secret).verify(body, headers as Record<string, string>);
      } catch (error) {
        return { kind: 'refused', reason: (error as Error).message };
      }
      const id = String(headers['webhook-id']);
      if (isKnown(id)) return { kind: 'repeat', id };
      const read = messageShape.safeParse(content);
      if (!read.success) return { kind: 'refused', reason: 'its signature is right, but its body is no message' };
      return { kind: 'message', id, message: read.data, fault: check(read.data.type, content) };
    },
  };
}

import { sha256Hex } from '@market-state/labeler';
import type { EventFilter, EventPlace } from './event';

/** An opaque token that names the place after the last event of a page. It can be taken on with the same filter alone. */
export function toEventToken(filter: EventFilter, { windowEndMs, symbol }: EventPlace): string {
  return Buffer.from(JSON.stringify(['e1', digestOf(filter), windowEndMs, symbol])).toString('base64url');
}

/** The place that a token of this filter stands for, or undefined when the token is not one of them. */
export function fromEventToken(filter: EventFilter, token: string): EventPlace | undefined {
  const [, , windowEndMs, symbol] = parse(token);
  if (!Number.isSafeInteger(windowEndMs) || typeof symbol !== 'string') return undefined;
  const place = { windowEndMs: Number(windowEndMs), symbol };
  return toEventToken(filter, place) === token ? place : undefined;
}

function digestOf({ symbol, fromMs, toMs, asOfMs, words, tags, values }: EventFilter): string {
  const { state, event_class, event_profile, severity_class } = values;
  return sha256Hex(JSON.stringify([symbol, fromMs, toMs, asOfMs, words, tags, state, event_class, event_profile, severity_class])).slice(0, 16);
}

function parse(token: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

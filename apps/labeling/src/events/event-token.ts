import { sha256Hex } from '@market-state/labeler';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import type { EventFilter, EventPlace } from './event';

const TOKEN = z.tuple([z.literal('e1'), z.string(), z.int(), z.string()]);

/** An opaque token that names the position after the last event of a page. It can be used with the same filter alone. */
export function toEventToken(filter: EventFilter, { windowEndMs, symbol }: EventPlace): string {
  return writeToken(['e1', digestOf(filter), windowEndMs, symbol]);
}

/** The position that a token of this filter stands for, or undefined when the token is not one of them. */
export function fromEventToken(filter: EventFilter, token: string): EventPlace | undefined {
  const values = readToken(TOKEN, token);
  if (values === undefined || values[1] !== digestOf(filter)) return undefined;
  const [, , windowEndMs, symbol] = values;
  return { windowEndMs, symbol };
}

function digestOf({ symbol, fromMs, toMs, asOfMs, words, tags, values }: EventFilter): string {
  const { state, event_class, event_profile, severity_class } = values;
  return sha256Hex(JSON.stringify([symbol, fromMs, toMs, asOfMs, words, tags, state, event_class, event_profile, severity_class])).slice(
    0,
    16,
  );
}

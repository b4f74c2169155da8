import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import type { PacketSpan } from './packet-span';

const TOKEN = z.tuple([z.string(), z.int().nullable(), z.int().nullable(), z.int().nullable(), z.boolean(), z.int()]);

/**
 * An opaque token that names the position after the last packet of a page. It holds the span that it was given for, so that
 * it cannot be used with another one.
 */
export function toPageToken(span: PacketSpan, lastWindowEndMs: number): string {
  return writeToken([...spanParts(span), lastWindowEndMs]);
}

/** The window end that a token of this span stands for, or undefined when the token is not one of them. */
export function fromPageToken(span: PacketSpan, token: string): number | undefined {
  const lastWindowEndMs = readToken(TOKEN, token)?.at(-1);
  return toPageToken(span, Number(lastWindowEndMs)) === token ? Number(lastWindowEndMs) : undefined;
}

function spanParts(span: PacketSpan): (string | number | boolean | null)[] {
  return [span.symbol, span.fromMs, span.toMs, span.asOfMs, span.newestFirst];
}

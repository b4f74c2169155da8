import type { PacketSpan } from './packet-span';

/**
 * An opaque token that names the place after the last packet of a page. It holds the span that it was given for, so that
 * it cannot be taken on with another one.
 */
export function toPageToken(span: PacketSpan, lastWindowEndMs: number): string {
  return Buffer.from(JSON.stringify([...spanParts(span), lastWindowEndMs])).toString('base64url');
}

/** The window end that a token of this span stands for, or undefined when the token is not one of them. */
export function fromPageToken(span: PacketSpan, token: string): number | undefined {
  const lastWindowEndMs = parse(Buffer.from(token, 'base64url').toString('utf8'))?.at(-1);
  if (!Number.isSafeInteger(lastWindowEndMs)) return undefined;
  return toPageToken(span, Number(lastWindowEndMs)) === token ? Number(lastWindowEndMs) : undefined;
}

function spanParts(span: PacketSpan): (string | number | boolean | null)[] {
  return [span.symbol, span.fromMs, span.toMs, span.asOfMs, span.newestFirst];
}

function parse(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import type { IncomingMessage } from 'node:http';
import { redactText } from '@market-state/logging';

const READ_BYTES_MAX = 16_384;
const SNIPPET_BYTES_MAX = 1_024;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** Control characters, and those that change the direction or the line of what follows. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The body's first 16 KiB, or all of it. Rejects when the connection ends before either. */
export async function readBody(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes >= READ_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, READ_BYTES_MAX);
}

/** The beginning of a body as text of at most 1 KiB: secrets masked, control characters replaced by blanks. */
export function snippetOf(body: Buffer): string {
  const text = redactText(body.toString('utf8')).replace(CONTROL_CHARACTERS, ' ');
  const bytes = Buffer.from(text);
  if (bytes.length <= SNIPPET_BYTES_MAX) return text;
  // What a cut within a character leaves of it.
  return bytes
    .subarray(0, SNIPPET_BYTES_MAX)
    .toString('utf8')
    .replace(/\ufffd{1,3}$/, '');
}

/** `Retry-After` in seconds from `nowMs`, whether given as seconds or as a date; undefined for anything else. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}

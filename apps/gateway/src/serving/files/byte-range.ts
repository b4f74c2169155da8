import { Problem } from '../errors/problem';
import type { ByteRange } from '../handlers/file-answer';

const ONE_RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i;

function unsatisfiable(sizeBytes: number): Problem {
  return new Problem('range_not_satisfiable', `No byte of the file is in this range: the file has ${sizeBytes} bytes.`, {
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  });
}

/**
 * The one range that is asked for; null for the whole file: without a range, for several at once, and for what is none (RFC 9110, 14.2).
 * @throws {Problem} 416 where no byte of the file is in it
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | null {
  const match = ONE_RANGE.exec(header ?? '');
  if (match === null) return null;
  const [, first = '', last = '', suffix = ''] = match;
  const from = first === '' ? Math.max(0, sizeBytes - Number(suffix)) : Number(first);
  const to = first === '' || last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < from) return null;
  if (from >= sizeBytes) throw unsatisfiable(sizeBytes);
  return { from, to };
}

/** Whether `If-Range` lets a range be sent: it is absent, or names the file's strong entity tag. A time never does: files have none. */
export function allowsRange(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag;
}

import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { PACKET_MS } from '../../packets/board';
import { readSpan, type Span, urlTime } from '../../service/url-span';
import { type UrlValue, urlWord, useUrlState } from '../../service/url-state';
import { CHUNK_MS } from './chunks';
import { clamp } from './cursor';
import { SPEEDS } from './pace';

/** The longest span that one page holds, milliseconds. */
export const LONGEST_MS = 3_600_000;
/** Without a span in the address: so much of the newest, and the packets of its end are stored by then, milliseconds. */
const USUAL_MS = 3 * CHUNK_MS;
const STORED_AFTER_MS = 60_000;
const USUAL_SYMBOL = 'BTCUSD-PERP';

/** An instant; null where the address has none. */
const URL_INSTANT: UrlValue<number | null> = {
  usual: null,
  read: (text) => (Number.isNaN(Date.parse(text)) ? null : Date.parse(text)),
  write: (ms) => (ms === null ? '' : urlTime(ms)),
};
const URL_SPEED = urlWord(SPEEDS, '10');

/** The span that an address names; one that names an instant alone means the ten minutes around it. */
export function replaySpan(params: URLSearchParams, openedMs: number): Span {
  const newestMs = openedMs - STORED_AFTER_MS;
  const atMs = Date.parse(params.get('at') ?? '');
  const isInstant = !Number.isNaN(atMs) && !params.has('from') && !params.has('to');
  const startMs = Math.floor((atMs - CHUNK_MS) / PACKET_MS) * PACKET_MS;
  const usual = isInstant
    ? { symbol: USUAL_SYMBOL, fromMs: startMs, toMs: Math.max(startMs + PACKET_MS, Math.min(newestMs, startMs + 2 * CHUNK_MS)) }
    : { symbol: USUAL_SYMBOL, fromMs: newestMs - USUAL_MS, toMs: newestMs };
  const span = readSpan(params, usual);
  return { ...span, toMs: Math.min(span.toMs, span.fromMs + LONGEST_MS) };
}

/** What of a replay stands in the address: symbol and span, where in it, and how fast. */
export function useReplayAddress() {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => windowStart(Date.now()));
  const [speed, setSpeed] = useUrlState('speed', URL_SPEED);
  const [at, setAt] = useUrlState('at', URL_INSTANT);
  const span = replaySpan(params, openedMs);
  const setSpan = useCallback(
    ({ symbol, fromMs, toMs }: Span) =>
      setParams((before) => {
        const changed = new URLSearchParams(before);
        changed.set('symbol', symbol);
        changed.set('from', urlTime(fromMs));
        changed.set('to', urlTime(toMs));
        changed.delete('at');
        return changed;
      }),
    [setParams],
  );
  return { span, setSpan, speed, setSpeed, atMs: clamp(at ?? span.fromMs, span), setAt };
}

function windowStart(ms: number): number {
  return Math.floor(ms / PACKET_MS) * PACKET_MS;
}

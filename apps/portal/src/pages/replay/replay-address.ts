import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { PACKET_MS } from '../../packets/live-markets';
import { readSpan, type Span, urlTime, withSpan, urlWord, useUrlState } from '../../service/url-state';
import { CHUNK_MS } from './chunks';
import { clamp, SPEEDS } from './cursor';

export const LONGEST_MS = 3_600_000;
/** Default span, and the delay until its last packets are stored. */
const USUAL_MS = 3 * CHUNK_MS;
const STORED_AFTER_MS = 60_000;
const USUAL_SYMBOL = 'BTCUSD-PERP';

const URL_SPEED = urlWord(SPEEDS, '10');

/** An address with only an instant means the ten minutes around it. */
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

function fromBeginning(params: URLSearchParams, span: Span): URLSearchParams {
  const changed = withSpan(params, span);
  changed.delete('at');
  return changed;
}

/** Also writes the span, which would otherwise follow the cursor. */
export function withInstant(params: URLSearchParams, span: Span, atMs: number): URLSearchParams {
  if (atMs === span.fromMs && !params.has('at')) return params;
  const changed = fromBeginning(params, span);
  if (atMs !== span.fromMs) changed.set('at', urlTime(atMs));
  return changed;
}

export function useReplayAddress() {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => windowStart(Date.now()));
  const [speed, setSpeed] = useUrlState('speed', URL_SPEED);
  const span = replaySpan(params, openedMs);
  const { symbol, fromMs, toMs } = span;
  const atMs = Date.parse(params.get('at') ?? '');
  const setSpan = useCallback((next: Span) => setParams((before) => fromBeginning(before, next)), [setParams]);
  const setAt = useCallback(
    (ms: number) => setParams((before) => withInstant(before, { symbol, fromMs, toMs }, ms), { replace: true }),
    [symbol, fromMs, toMs, setParams],
  );
  return { span, setSpan, speed, setSpeed, atMs: Number.isNaN(atMs) ? fromMs : clamp(atMs, span), setAt };
}

function windowStart(ms: number): number {
  return Math.floor(ms / PACKET_MS) * PACKET_MS;
}

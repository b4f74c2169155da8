import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { parseUtcInstant } from '@market-state/market-data';

/** Exchange time; `fromMs` inclusive, `toMs` exclusive. */
export interface Span {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** RFC 3339 UTC, without milliseconds if they are zero. */
export function urlTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Missing or invalid parts, and an empty span, come from the usual span. */
export function readSpan(params: URLSearchParams, usual: Span): Span {
  const time = (name: string, otherwise: number): number => {
    return parseUtcInstant(params.get(name) ?? '') ?? otherwise;
  };
  const symbol = params.get('symbol') ?? usual.symbol;
  const toMs = time('to', usual.toMs);
  const fromMs = time('from', toMs - (usual.toMs - usual.fromMs));
  return fromMs < toMs ? { symbol, fromMs, toMs } : { ...usual, symbol };
}

export function withSpan(params: URLSearchParams, { symbol, fromMs, toMs }: Span): URLSearchParams {
  const changed = new URLSearchParams(params);
  changed.set('symbol', symbol);
  changed.set('from', urlTime(fromMs));
  changed.set('to', urlTime(toMs));
  return changed;
}

/** Length of a moved span that had no start or end. */
const USUAL_MS = 3_600_000;

/**
 * Moves the span to start at the oldest available instant: truncated if it ends later, otherwise with the same length.
 */
export function spanFromOldest(params: URLSearchParams, oldestMs: number): URLSearchParams {
  const [fromMs, toMs] = ['from', 'to'].map((name) => parseUtcInstant(params.get(name) ?? '') ?? Number.NaN) as [number, number];
  const lengthMs = toMs > fromMs ? toMs - fromMs : USUAL_MS;
  const changed = new URLSearchParams(params);
  changed.set('from', urlTime(oldestMs));
  changed.set('to', urlTime(toMs > oldestMs ? toMs : oldestMs + lengthMs));
  return changed;
}

const WINDOW_MS = 10_000;

/** Defaults to the newest `usualMs` when the page was opened, in whole windows. */
export function useUrlSpan(usualMs: number, usualSymbol: string): readonly [Span, (span: Span) => void] {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => Math.floor(Date.now() / WINDOW_MS) * WINDOW_MS);
  const set = useCallback((span: Span) => setParams((before) => withSpan(before, span)), [setParams]);
  return [readSpan(params, { symbol: usualSymbol, fromMs: openedMs - usualMs, toMs: openedMs }), set];
}

export interface UrlValue<T> {
  readonly usual: T;
  /** Null if invalid. */
  readonly read: (text: string) => T | null;
  readonly write: (value: T) => string;
}

export const urlText: UrlValue<string> = { usual: '', read: (text) => text, write: (value) => value };

export function urlWord<const Word extends string>(words: readonly Word[], usual: NoInfer<Word>): UrlValue<Word> {
  return { usual, read: (text) => words.find((word) => word === text) ?? null, write: (word) => word };
}

/** Texts without commas. */
export const urlList: UrlValue<readonly string[]> = {
  usual: [],
  read: (text) => text.split(',').filter((each) => each !== ''),
  write: (values) => values.join(','),
};

export function readUrlValue<T>(params: URLSearchParams, name: string, value: UrlValue<T>): T {
  const text = params.get(name);
  return text === null ? value.usual : (value.read(text) ?? value.usual);
}

/** The default value is left out. */
export function withUrlValue<T>(params: URLSearchParams, name: string, value: UrlValue<T>, next: T): URLSearchParams {
  const changed = new URLSearchParams(params);
  const text = value.write(next);
  if (text === value.write(value.usual)) changed.delete(name);
  else changed.set(name, text);
  return changed;
}

/** Makes the address reproduce the view. Changes add no history entry. */
export function useUrlState<T>(name: string, value: UrlValue<T>): readonly [T, (next: T) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (next: T) => setParams((before) => withUrlValue(before, name, value, next), { replace: true }),
    [name, value, setParams],
  );
  return [readUrlValue(params, name, value), set];
}

/** Open state of a collapsible part; several may be open. */
export function useUrlOpen(part: string): readonly [boolean, (isOpen: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback((isOpen: boolean) => setParams((before) => withOpen(before, part, isOpen), { replace: true }), [part, setParams]);
  return [readUrlValue(params, OPEN, urlList).includes(part), set];
}

const OPEN = 'open';

export function withOpen(params: URLSearchParams, part: string, isOpen: boolean): URLSearchParams {
  const others = readUrlValue(params, OPEN, urlList).filter((each) => each !== part);
  return withUrlValue(params, OPEN, urlList, isOpen ? [...others, part] : others);
}

import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { parseUtcInstant } from '@market-state/market-data';

/** A symbol and a span of exchange time, milliseconds since the epoch, `fromMs` included and `toMs` not. */
export interface Span {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An instant as it stands in an address: RFC 3339 UTC, to the second where it has no milliseconds. */
export function urlTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** The span that an address names; what it does not name, or not as a time, is of the usual span. A span of no length is the usual one. */
export function readSpan(params: URLSearchParams, usual: Span): Span {
  const time = (name: string, otherwise: number): number => {
    return parseUtcInstant(params.get(name) ?? '') ?? otherwise;
  };
  const symbol = params.get('symbol') ?? usual.symbol;
  const toMs = time('to', usual.toMs);
  const fromMs = time('from', toMs - (usual.toMs - usual.fromMs));
  return fromMs < toMs ? { symbol, fromMs, toMs } : { ...usual, symbol };
}

/** The address that names a span. */
export function withSpan(params: URLSearchParams, { symbol, fromMs, toMs }: Span): URLSearchParams {
  const changed = new URLSearchParams(params);
  changed.set('symbol', symbol);
  changed.set('from', urlTime(fromMs));
  changed.set('to', urlTime(toMs));
  return changed;
}

/** Length of a span that is moved and had no beginning or end, milliseconds. */
const USUAL_MS = 3_600_000;

/** The same address with a span that begins at the oldest instant that is kept: cut there where it ends later, else as long as before. */
export function spanFromOldest(params: URLSearchParams, oldestMs: number): URLSearchParams {
  const [fromMs, toMs] = ['from', 'to'].map((name) => parseUtcInstant(params.get(name) ?? '') ?? Number.NaN) as [number, number];
  const lengthMs = toMs > fromMs ? toMs - fromMs : USUAL_MS;
  const changed = new URLSearchParams(params);
  changed.set('from', urlTime(oldestMs));
  changed.set('to', urlTime(toMs > oldestMs ? toMs : oldestMs + lengthMs));
  return changed;
}

const WINDOW_MS = 10_000;

/** The span in the address; without one, the newest `usualMs` as of when the page was opened, of whole ten-second windows. */
export function useUrlSpan(usualMs: number, usualSymbol: string): readonly [Span, (span: Span) => void] {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => Math.floor(Date.now() / WINDOW_MS) * WINDOW_MS);
  const set = useCallback((span: Span) => setParams((before) => withSpan(before, span)), [setParams]);
  return [readSpan(params, { symbol: usualSymbol, fromMs: openedMs - usualMs, toMs: openedMs }), set];
}

/** How a value stands in an address: what it is without one, and how it is read and written. */
export interface UrlValue<T> {
  readonly usual: T;
  /** Null where the text is no such value. */
  readonly read: (text: string) => T | null;
  readonly write: (value: T) => string;
}

export function urlText(usual = ''): UrlValue<string> {
  return { usual, read: (text) => text, write: (value) => value };
}

/** One of some words. */
export function urlWord<const Word extends string>(words: readonly Word[], usual: NoInfer<Word>): UrlValue<Word> {
  return { usual, read: (text) => words.find((word) => word === text) ?? null, write: (word) => word };
}

/** A list of texts without commas. */
export const urlList: UrlValue<readonly string[]> = {
  usual: [],
  read: (text) => text.split(',').filter((each) => each !== ''),
  write: (values) => values.join(','),
};

/** Reads a value from the parameters of an address. */
export function readUrlValue<T>(params: URLSearchParams, name: string, value: UrlValue<T>): T {
  const text = params.get(name);
  return text === null ? value.usual : (value.read(text) ?? value.usual);
}

/** The same parameters with another value; the usual one is left out. */
export function withUrlValue<T>(params: URLSearchParams, name: string, value: UrlValue<T>, next: T): URLSearchParams {
  const changed = new URLSearchParams(params);
  const text = value.write(next);
  if (text === value.write(value.usual)) changed.delete(name);
  else changed.set(name, text);
  return changed;
}

/** A value that stands in the address, so that the address shows the same view again. Changing it makes no entry of the history. */
export function useUrlState<T>(name: string, value: UrlValue<T>): readonly [T, (next: T) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (next: T) => setParams((before) => withUrlValue(before, name, value, next), { replace: true }),
    [name, value, setParams],
  );
  return [readUrlValue(params, name, value), set];
}

/** Whether a part of the page that can be opened is open, as the address says; several may be. */
export function useUrlOpen(part: string): readonly [boolean, (isOpen: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback((isOpen: boolean) => setParams((before) => withOpen(before, part, isOpen), { replace: true }), [part, setParams]);
  return [readUrlValue(params, OPEN, urlList).includes(part), set];
}

const OPEN = 'open';

/** The same parameters with a part open or closed. */
export function withOpen(params: URLSearchParams, part: string, isOpen: boolean): URLSearchParams {
  const others = readUrlValue(params, OPEN, urlList).filter((each) => each !== part);
  return withUrlValue(params, OPEN, urlList, isOpen ? [...others, part] : others);
}

import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

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

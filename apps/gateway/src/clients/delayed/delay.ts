import type { marketData } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { InvalidRequest, Problem } from '../../serving/errors/problem';

/** Minimum age of data for sandbox keys. */
const SANDBOX_DELAY_MS = 600_000;

export function delayedClock(now: () => number): () => number {
  return () => now() - SANDBOX_DELAY_MS;
}

export function notForSandbox(): Problem {
  return new Problem('sandbox_refused', 'Sandbox keys cannot call this route: their data is delayed by 600 s. Use a live key.');
}

/** Refuses all calls that are not listed, so that a new call cannot leak undelayed data. */
export function onlyCalls<T extends object>(calls: Partial<T>): T {
  return new Proxy(calls, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
      return () => {
        throw notForSandbox();
      };
    },
  }) as T;
}

const TOKEN = z.tuple([z.literal('s1'), z.int().min(0), z.string()]);

/** All pages of a read use the same instant. */
interface PinnedPage {
  readonly asOfMs: number;
  readonly pageToken: string;
}

/** Empty on the last page. */
export function writePinnedToken({ asOfMs, pageToken }: PinnedPage): string {
  return pageToken === '' ? '' : writeToken(['s1', asOfMs, pageToken]);
}

/**
 * An empty token means the first page, as of `newestMs`. The result is never later than `newestMs`.
 * @throws ServiceError INVALID_ARGUMENT if the token is malformed
 */
export function readPinnedToken(token: string, newestMs: number): PinnedPage {
  if (token === '') return { asOfMs: newestMs, pageToken: '' };
  const values = readToken(TOKEN, token);
  if (values === undefined)
    throw invalidArgument([{ field: 'page_token', message: 'is not a page token from an earlier response', type: 'malformed' }]);
  const [, asOfMs, pageToken] = values;
  return { asOfMs: Math.min(asOfMs, newestMs), pageToken };
}

const NOT_FINISHED = 'window_not_finished';

/** Venue clocks may run ahead of receive time, so rows past the cut can exist. */
interface CutWindow {
  readonly bounds: { readonly startMs: number; readonly endMs: number };
  /** Receipt for the requested window, marked unfinished if it was cut. */
  completenessOf(receipt: marketData.Completeness | undefined): marketData.Completeness | undefined;
}

/** @throws InvalidRequest if the window is empty; `name` is the query parameter */
export function refuseYoungStart(name: 'from' | 'start', startMs: number, endMs: number): void {
  if (startMs < endMs) return;
  throw new InvalidRequest([{ loc: ['query', name], msg: 'must be more than 600 s ago for a sandbox key', type: 'delayed' }]);
}

export function cutWindow({ startMs, endMs }: CutWindow['bounds'], asOfMs: number): CutWindow {
  refuseYoungStart('start', startMs, Math.min(endMs, asOfMs));
  if (endMs <= asOfMs) return { bounds: { startMs, endMs }, completenessOf: (receipt) => receipt };
  return {
    bounds: { startMs, endMs: asOfMs },
    completenessOf: (receipt) =>
      receipt === undefined
        ? undefined
        : { ...receipt, complete: false, reasons: [...receipt.reasons.filter((reason) => reason !== NOT_FINISHED), NOT_FINISHED] },
  };
}

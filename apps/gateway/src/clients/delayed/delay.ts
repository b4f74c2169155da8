import type { marketData } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { InvalidRequest, Problem } from '../../serving/errors/problem';

/** Least age of the data that a sandbox key sees, milliseconds. */
const SANDBOX_DELAY_MS = 600_000;

/** The clock by which a sandbox key sees the market: the wall clock, the delay ago. */
export function delayedClock(now: () => number): () => number {
  return () => now() - SANDBOX_DELAY_MS;
}

/** What a sandbox key is told where nothing delayed can be served. */
export function notForSandbox(): Problem {
  return new Problem('sandbox_refused', 'Sandbox keys cannot call this route: they see data that is at least 600 s old. Use a live key.');
}

/** A client whose calls are those listed: every other is refused, so that a call which nobody thought of gives nothing. */
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

/** A page of a read as of an instant: the pages that follow are as of the same one. */
interface PinnedPage {
  readonly asOfMs: number;
  /** The neighbour's own token. */
  readonly pageToken: string;
}

/** Empty at the end, where the neighbour's token is. */
export function writePinnedToken({ asOfMs, pageToken }: PinnedPage): string {
  return pageToken === '' ? '' : writeToken(['s1', asOfMs, pageToken]);
}

/**
 * The page that a token stands for; the first one, as of `newestMs`, for an empty token. Never as of later than `newestMs`.
 * @throws ServiceError INVALID_ARGUMENT for a token that is none of these
 */
export function readPinnedToken(token: string, newestMs: number): PinnedPage {
  if (token === '') return { asOfMs: newestMs, pageToken: '' };
  const values = readToken(TOKEN, token);
  if (values === undefined) throw invalidArgument([{ field: 'page_token', message: 'is not one of an earlier answer', type: 'malformed' }]);
  const [, asOfMs, pageToken] = values;
  return { asOfMs: Math.min(asOfMs, newestMs), pageToken };
}

const NOT_FINISHED = 'window_not_finished';

/** A window of which nothing after an instant is read: venues' clocks may run ahead of the receive times by which rows are as of then. */
interface CutWindow {
  readonly bounds: { readonly startMs: number; readonly endMs: number };
  /** A receipt of the cut window as one of the window that was asked for: not finished where it was cut. */
  told(receipt: marketData.Completeness | undefined): marketData.Completeness | undefined;
}

/** @throws InvalidRequest when a window that ends at `endMs` would begin there or later; `name` is that of the parameter */
export function refuseYoungStart(name: 'from' | 'start', startMs: number, endMs: number): void {
  if (startMs < endMs) return;
  throw new InvalidRequest([{ loc: ['query', name], msg: 'must be more than 600 s ago for a sandbox key', type: 'delayed' }]);
}

export function cutWindow({ startMs, endMs }: CutWindow['bounds'], asOfMs: number): CutWindow {
  refuseYoungStart('start', startMs, Math.min(endMs, asOfMs));
  if (endMs <= asOfMs) return { bounds: { startMs, endMs }, told: (receipt) => receipt };
  return {
    bounds: { startMs, endMs: asOfMs },
    told: (receipt) =>
      receipt === undefined
        ? undefined
        : { ...receipt, complete: false, reasons: [...receipt.reasons.filter((reason) => reason !== NOT_FINISHED), NOT_FINISHED] },
  };
}

import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { InvalidRequest } from '../../../serving/errors/problem';

const CURSOR = z.tuple([z.literal('h1'), z.int().min(0), z.string().min(1)]);

/** A page of a history whose start stays where the first page had it. */
export interface HistoryPlace {
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  /** Labeling's own token. */
  readonly pageToken: string;
}

export function writeHistoryCursor({ fromMs, pageToken }: HistoryPlace): string {
  return writeToken(['h1', fromMs, pageToken]);
}

/** @throws InvalidRequest for text that is no such cursor */
export function readHistoryCursor(cursor: string): HistoryPlace {
  const values = readToken(CURSOR, cursor);
  if (values === undefined)
    throw new InvalidRequest([{ loc: ['query', 'cursor'], msg: 'must be the next_cursor of an earlier answer', type: 'malformed' }]);
  const [, fromMs, pageToken] = values;
  return { fromMs, pageToken };
}

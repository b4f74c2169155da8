import { invalidArgument } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';

const TOKEN = z.tuple([z.literal('s1'), z.int().min(0), z.string()]);

/** A page of a read as of an instant: the pages that follow are as of the same one. */
export interface PinnedPage {
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

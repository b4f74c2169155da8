import type { status } from '@market-state/contracts';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { InvalidRequest } from '../../../serving/errors/problem';

const CURSOR = z.tuple([z.literal('i1'), z.string(), z.string(), z.int().min(0), z.int().min(0), z.int().min(0), z.string()]);

/** What a list of incidents is of: the same on every page of it. */
export interface IncidentSpan {
  /** Empty: of every symbol. */
  readonly symbol: string;
  /** Empty: of every kind. */
  readonly kind: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The place after the last incident of a page, and the span, whose ends stay where the first page had them. */
export function writeIncidentCursor({ symbol, kind, fromMs, toMs }: IncidentSpan, { openedMs, incidentId }: status.IncidentPlace): string {
  return writeToken(['i1', symbol, kind, fromMs, toMs, openedMs, incidentId]);
}

/**
 * @param asked what the call asks for beside the cursor: it must be what the first page was asked for
 * @throws InvalidRequest for text that is no cursor of this list
 */
export function readIncidentCursor(
  cursor: string,
  asked: Pick<IncidentSpan, 'symbol' | 'kind'>,
): { readonly span: IncidentSpan; readonly after: status.IncidentPlace } {
  const values = readToken(CURSOR, cursor);
  const [, symbol = '', kind = '', fromMs = 0, toMs = 0, openedMs = 0, incidentId = ''] = values ?? [];
  if (values === undefined || symbol !== asked.symbol || kind !== asked.kind)
    throw new InvalidRequest([{ loc: ['query', 'cursor'], msg: 'must be the next_cursor of an earlier answer', type: 'malformed' }]);
  return { span: { symbol, kind, fromMs, toMs }, after: { openedMs, incidentId } };
}

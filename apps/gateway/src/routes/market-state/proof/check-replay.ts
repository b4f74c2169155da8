import { createHash } from 'node:crypto';
import { isServiceError } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import { WINDOW_MS } from '@market-state/market-data';
import type { MarketDataClient } from '../../../clients/market-data-client';
import { toUtc } from '../../../serving/meta/instant';
import type { SymbolFinding } from './proof';

/** A window that ended this long before the feed clock is finished, milliseconds. */
const FINISHED_AFTER_MS = 60_000;
const ROWS_MAX = 5_000;
const DEADLINE_MS = 5_000;

function nothing(symbol: string, detail: string): SymbolFinding {
  return { symbol, passed: true, detail, fromMs: null, toMs: null, checkedTotal: 0 };
}

/** A recent window replayed: its rows counted and hashed again, and held against the receipt that came with them. */
export async function checkReplay(client: MarketDataClient, symbol: string): Promise<SymbolFinding> {
  try {
    return await replayRecent(client, symbol);
  } catch (error) {
    if (isServiceError(error) && error.reason === 'beyond_retention') return nothing(symbol, 'Nothing is kept from then.');
    throw error;
  }
}

async function replayRecent(client: MarketDataClient, symbol: string): Promise<SymbolFinding> {
  const { feedClockMs } = await client.call.getFreshness({ symbol });
  const endMs = Math.floor((feedClockMs - FINISHED_AFTER_MS) / WINDOW_MS) * WINDOW_MS;
  const window = { startMs: endMs - WINDOW_MS, endMs };
  let chain: Buffer = Buffer.alloc(32);
  let total = 0;
  for await (const { rows, end } of client.call.readWindow(
    { symbol, ...window, channels: [], asOfMs: 0, pageSize: ROWS_MAX, pageToken: '' },
    { signal: timeLimit(DEADLINE_MS) },
  )) {
    for (const row of rows)
      chain = createHash('sha256')
        .update(chain)
        .update(row.channel === 'packets' ? row.packetDigest : row.line)
        .digest();
    total += rows.length;
    const receipt = end?.completeness;
    if (receipt === undefined) continue;
    if (total === 0 && receipt.rowsSent === 0) return nothing(symbol, `The window from ${toUtc(window.startMs)} has no row.`);
    const same = receipt.rowsSent === total && receipt.rowsSha256 === chain.toString('hex');
    const whole = receipt.complete
      ? 'The receipt says that the window is whole.'
      : `The receipt says that it is not whole: ${receipt.reasons.join(', ')}.`;
    const found = same
      ? `${total} rows hash to the receipt's digest. ${whole}`
      : `The ${total} rows of the window from ${toUtc(window.startMs)} are not those of its receipt.`;
    return { symbol, passed: same, detail: found, fromMs: window.startMs, toMs: endMs, checkedTotal: total };
  }
  return nothing(symbol, 'The window was not sent to its end in time.');
}

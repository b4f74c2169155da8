import { type LineFile, bundleLines, checkBundle, type SigningKey, signingKeyOf, SourceError } from '@market-state/labeler/recompute';
import { addDecimals, fromBase64 } from '@market-state/market-data';
import { isOfMarket } from './market-lines';
import type { RecomputeMessage, RecomputeRequest, MovedTrade, PublishedKey } from './messages';

/** The last message is the answer; `say` receives the progress before it. */
async function answerTo(request: RecomputeRequest, say: (message: RecomputeMessage) => void): Promise<RecomputeMessage> {
  const { eventId, tamper, policyFiles } = request;
  try {
    const whole = linesOf(await bundleLines(new Uint8Array(request.bundle)), request.chosen);
    const trades = await tradesOf(whole, eventId);
    const changed = tamper === undefined ? null : trades.move(tamper.trade);
    if (tamper !== undefined && changed === null) return { type: 'refused', lines: [`The bundle has no trade ${tamper.trade}.`] };
    const check = await checkBundle({
      bundle: changed?.bundle ?? whole,
      policyFiles,
      keys: request.keys === null ? null : keysOf(request.keys),
      eventId,
      onProgress: (entryTotal, windowEndMs) => say({ type: 'progress', entryTotal, windowEndMs }),
    });
    return { type: 'checked', check, tradeTotal: trades.total, moved: changed?.moved ?? null };
  } catch (error) {
    if (error instanceof SourceError) return { type: 'refused', lines: error.lines };
    throw error;
  }
}

/** Keys by the id derived from their bytes; a key listed under a wrong id is dropped. */
function keysOf(published: readonly PublishedKey[]): ReadonlyMap<string, SigningKey> {
  const keys = new Map<string, SigningKey>();
  for (const { kid, x } of published) {
    const bytes = fromBase64(`${x.replaceAll('-', '+').replaceAll('_', '/')}=`);
    const key = bytes === undefined ? undefined : signingKeyOf(bytes);
    if (key?.keyId === kid) keys.set(kid, key);
  }
  return keys;
}

const MOVED_BY = '0.1';
const TRADE = '"kind":"trade"';
const PACKET_ROW = '"schema":"market_state_packet_row.v1"';

/** Trades up to the end of the packet's window. */
interface BundleTrades {
  readonly total: number;
  /** Moves the n-th trade from the end by 0.1; null if there is none. */
  move(n: number): { readonly bundle: LineFile; readonly moved: MovedTrade } | null;
}

interface TradeRow {
  readonly ordinal: number;
  readonly exchange_ts_ms: number;
  readonly price: string;
}

/** Uses the window of the requested packet, or of the last one. */
async function tradesOf(bundle: LineFile, eventId: string | undefined): Promise<BundleTrades> {
  const batches: (readonly string[])[] = [];
  for await (const batch of bundle.lines) batches.push(batch);
  const lines = batches.flat();
  const endMs = windowEndOf(lines, eventId);
  const places = lines.flatMap((line, at) => (line.includes(TRADE) && timeOf(line) <= endMs ? [at] : []));
  return {
    total: places.length,
    move(n) {
      const at = places.at(-n) ?? -1;
      const row = JSON.parse(lines[at] ?? 'null') as TradeRow | null;
      if (row === null) return null;
      const movedPrice = addDecimals(row.price, MOVED_BY);
      const changed = lines.with(at, JSON.stringify({ ...row, price: movedPrice }));
      const moved = { ordinal: row.ordinal, atMs: row.exchange_ts_ms, price: row.price, movedPrice };
      return { bundle: { name: bundle.name, lines: { [Symbol.asyncIterator]: () => once(changed) } }, moved };
    },
  };
}

/** T of the requested packet or of the bundle's last; 0 if it is missing. */
function windowEndOf(lines: readonly string[], eventId: string | undefined): number {
  const row = lines.findLast((line) => line.includes(PACKET_ROW) && (eventId === undefined || line.includes(`"event_id":"${eventId}"`)));
  return Number(/"window_end_ms":(\d+)/.exec(row?.slice(row.lastIndexOf('"window_end_ms"')) ?? '')?.[1] ?? 0);
}

function timeOf(line: string): number {
  return Number(/"exchange_ts_ms":(\d+)/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
}

async function* once(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines;
}

/** Includes lines without a symbol, such as keys; all lines if none is chosen. */
function linesOf(dump: LineFile, chosen: RecomputeRequest['chosen']): LineFile {
  if (chosen === undefined) return dump;
  const isOwn = isOfMarket(chosen.market, chosen.markets);
  return { name: dump.name, lines: { [Symbol.asyncIterator]: () => filtered(dump.lines, isOwn) } };
}

async function* filtered(
  batches: AsyncIterable<readonly string[]>,
  isWanted: (line: string) => boolean,
): AsyncGenerator<readonly string[]> {
  for await (const batch of batches) yield batch.filter(isWanted);
}

const PROGRESS_EVERY_MS = 100;

let reportedAtMs = 0;

function reportProgress(message: RecomputeMessage): void {
  const nowMs = performance.now();
  if (nowMs - reportedAtMs < PROGRESS_EVERY_MS) return;
  reportedAtMs = nowMs;
  postMessage(message);
}

addEventListener('message', ({ data }: MessageEvent<RecomputeRequest>) => {
  // Unexpected errors reach the page as the worker's error event.
  void answerTo(data, reportProgress).then(postMessage, reportError);
});

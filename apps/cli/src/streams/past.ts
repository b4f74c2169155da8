import type { MarketState, Params } from '@market-state/client';
import { badInput } from '../cli-error';
import type { Row } from '../output/cells';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_SECONDS = 60;
const PAGE_ROWS = 100;

/** A stored packet or row, by the key under which the stream has it too. */
export interface Stored<T> {
  readonly symbol: string;
  readonly key: string;
  readonly data: T;
}

type Packet = Readonly<Record<'event_id' | 'window_end_utc', string>> & Row;

/** The stored packets since an instant, of all symbols in the order of their windows. @throws CliError when that is over a day back */
export async function* packetsSince(
  ms: MarketState,
  symbols: readonly string[],
  fromMs: number,
  signal: AbortSignal,
): AsyncGenerator<Stored<Row>> {
  const nowMs = Date.now();
  if (nowMs - fromMs > DAY_MS) throw badInput('--since reaches a day back for packets; market-state history has older ones.');
  const names = symbols.includes('ALL') ? await servedSymbols(ms, signal) : symbols;
  const seconds = Math.max(MINUTE_SECONDS, Math.ceil((nowMs - fromMs) / 1_000) + MINUTE_SECONDS);
  const found: Packet[] = [];
  for (const symbol of names) {
    const params = { symbol, view: 'compact', limit: PAGE_ROWS, replay_window_seconds: Math.min(seconds, DAY_MS / 1_000) } as const;
    for await (const row of ms.replay.rows(params, { signal })) found.push(row as unknown as Packet);
  }
  const since = found.filter(({ window_end_utc: end }) => Date.parse(end) >= fromMs);
  since.sort((one, other) => Date.parse(one.window_end_utc) - Date.parse(other.window_end_utc));
  for (const data of since) yield { symbol: String(data['symbol']), key: data.event_id, data };
}

/** The stored rows since an instant, symbol by symbol, each in the order of its log. @throws CliError when that is over an hour back */
export async function* rowsSince(
  ms: MarketState,
  symbols: readonly string[],
  channels: readonly string[],
  fromMs: number,
  signal: AbortSignal,
) {
  const nowMs = Date.now();
  if (nowMs - fromMs > HOUR_MS) throw badInput('--since reaches an hour back for rows; market-state replay has older ones.');
  for (const symbol of symbols) {
    const params: Params<'getReplayWindow'> = { symbol, start: new Date(fromMs).toISOString(), channels: channels.join(',') };
    for await (const data of ms.replayWindow.rows(params, { signal })) yield { symbol, key: rowKey(symbol, data), data };
  }
}

/** Names a row wherever it comes from. */
export function rowKey(
  symbol: string,
  { epoch, sequence, channel }: { readonly epoch: number; readonly sequence: number; readonly channel: string },
): string {
  return `${symbol} ${epoch} ${sequence} ${channel === 'packets' ? 'packet' : 'row'}`;
}

async function servedSymbols(ms: MarketState, signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await ms.catalog.get({}, { signal });
  return data.symbols.map(({ symbol }) => symbol);
}

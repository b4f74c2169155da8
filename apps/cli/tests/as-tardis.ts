import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';

/** Rows as in https://docs.tardis.dev/downloadable-csv-files/data-types. */
const TARDIS_HEAD = 'exchange,symbol,timestamp,local_timestamp,';
const BOOK_HEAD = `${TARDIS_HEAD}is_snapshot,side,price,amount`;
const TRADES_HEAD = `${TARDIS_HEAD}id,side,price,amount`;

type Level = readonly [price: string, quantity: string];

interface Depth {
  readonly T: number;
  readonly u: number;
  readonly b: readonly Level[];
  readonly a: readonly Level[];
}

export interface TardisFiles {
  readonly book: string;
  readonly trades: string;
}

/** A recording of Binance COIN-M as Tardis publishes one: the book starts with its snapshot. */
export function asTardis(paths: readonly string[], symbol: string): TardisFiles {
  const [book, trades] = [[BOOK_HEAD], [TRADES_HEAD]];
  let waiting: Depth[] | undefined = [];
  const rows = (localUs: string, { T, b, a }: Depth, isSnapshot: boolean): void => {
    const at = `binance-delivery,${symbol},${T}000,${localUs},${isSnapshot}`;
    for (const [side, levels] of [
      ['bid', b],
      ['ask', a],
    ] as const)
      for (const [price, size] of levels) book.push(`${at},${side},${price},${size}`);
  };
  for (const line of paths.flatMap((path) => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n'))) {
    const localUs = line.slice(0, 16);
    const message = JSON.parse(line.slice(20)) as Record<string, unknown>;
    const data = (message['data'] ?? message) as Record<string, unknown>;
    if (message['lastUpdateId'] !== undefined) {
      const { lastUpdateId, T, bids, asks } = message as unknown as { lastUpdateId: number; T: number; bids: Level[]; asks: Level[] };
      rows(localUs, { T, u: lastUpdateId, b: bids, a: asks }, true);
      for (const depth of waiting ?? []) if (depth.u > lastUpdateId) rows(localUs, depth, false);
      waiting = undefined;
    } else if (data['e'] === 'depthUpdate') {
      const depth = data as unknown as Depth;
      if (waiting === undefined) rows(localUs, depth, false);
      else waiting.push(depth);
    } else if (data['e'] === 'trade') {
      const { T, t, m, p, q } = data as unknown as { T: number; t: number; m: boolean; p: string; q: string };
      trades.push(`binance-delivery,${symbol},${T}000,${localUs},${t},${m ? 'sell' : 'buy'},${p},${q}`);
    }
  }
  return { book: `${book.join('\n')}\n`, trades: `${trades.join('\n')}\n` };
}

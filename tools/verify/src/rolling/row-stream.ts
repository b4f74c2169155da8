import { type ConnectionStanding, MarketState, type StreamMessages } from '@market-state/client';
import { comesTrue } from '@market-state/testing';

/** A customer's stream of one symbol's trades, held against what is stored. */
export interface RowStream {
  readonly symbol: string;
  /** Ends it with the next row. */
  end(): Promise<RowsSeen>;
}

/** What a customer of the stream was sent. */
export interface RowsSeen {
  /** The place of each row, in order. */
  readonly came: readonly string[];
  /** The places of the rows that are stored from the first that came to the last. */
  readonly stored: readonly string[];
  /** Connections that it took. */
  readonly connections: number;
}

type Row = Extract<StreamMessages['streamData'], { readonly type: 'row' }>['data'];

const CHANNELS = ['trades'] as const;
const CREDITS_MAX = 1_000_000;
const STORED_MS_MAX = 10_000;
const STORED_POLL_MS = 500;

/** Reads it by the SDK, which opens it again where it ends. */
export function readRows(baseUrl: string, apiKey: string, symbol: string): RowStream {
  const ms = new MarketState({ baseUrl, apiKey });
  let [isOver, connections] = [false, 0];
  const onConnection = ({ state }: ConnectionStanding): void => {
    if (state === 'open') connections += 1;
  };
  async function read(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const message of ms.stream.data({ symbols: symbol, channels: CHANNELS }, { maxCredits: CREDITS_MAX, onConnection })) {
      if (message.type === 'row') rows.push(message.data);
      // The seams of a looped recording are in the gap ledger.
      else if (message.type !== 'gap') throw new Error(`The stream of trades of ${symbol} has sent ${message.type}.`);
      if (isOver) break;
    }
    return rows;
  }
  const reading = read();
  reading.catch(() => undefined);
  return {
    symbol,
    async end() {
      isOver = true;
      const rows = await reading;
      const came = rows.map(placeOf);
      let stored: string[] = [];
      // Another process may be asked than the one that had the last row first.
      const areAllThere = async (): Promise<boolean> => {
        stored = await storedRows(ms, symbol, rows);
        return stored.at(-1) === came.at(-1);
      };
      await comesTrue(areAllThere, { limitMs: STORED_MS_MAX, everyMs: STORED_POLL_MS });
      return { came, stored, connections };
    },
  };
}

function placeOf({ epoch, sequence, channel }: Pick<Row, 'epoch' | 'sequence' | 'channel'>): string {
  return `${epoch} ${sequence} ${channel}`;
}

async function storedRows(ms: MarketState, symbol: string, rows: readonly Row[]): Promise<string[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const times = rows.map(({ exchange_time_utc: time }) => Date.parse(time));
  const span = { start: String(Math.min(...times)), end: String(Math.max(...times) + 1) };
  const stored: string[] = [];
  for await (const row of ms.replayWindow.rows({ symbol, ...span, channels: CHANNELS.join(',') }, { maxCredits: CREDITS_MAX }))
    if (row.sequence >= first.sequence && row.sequence <= last.sequence) stored.push(placeOf(row));
  return stored;
}

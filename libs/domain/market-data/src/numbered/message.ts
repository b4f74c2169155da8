import type { LiquidationEvent, TradeEvent } from '../event';
import type { Levels } from '../book-side';
import { isObject, type Json } from '../json';
import { type NotAccepted, rejected } from '../rejections';

export interface BookFrame {
  readonly type: 'snapshot' | 'delta';
  readonly timeMs: number;
  readonly updateId: number;
  /** Only in a delta. */
  readonly previousId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** Plain decimals, quantity in the venue's unit. */
export interface NumberedTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: string;
  readonly price: string;
  readonly quantity: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
  /** Consecutive number, if the venue counts its trades. */
  readonly number?: number;
  /** Side of the position that the trade closed by force. */
  readonly liquidated?: LiquidationEvent['positionSide'];
}

/** A number of the venue's trade count without a trade on the book. */
export interface NoTrade {
  readonly type: 'no_trade';
  readonly number: number;
}

export interface NumberedLiquidation {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly positionSide: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly quantity: string;
}

export type Entry = NumberedTrade | NoTrade | NumberedLiquidation | NotAccepted;

export interface EntryFrame {
  readonly type: 'entries';
  /** Undefined for a REST answer. */
  readonly channel: 'trade' | 'liquidation' | undefined;
  readonly entries: readonly Entry[];
}

/** Context fields as sent; in a delta, a missing field is unchanged. */
export interface TickerFields {
  /** Per payment. */
  readonly fundingRate?: string;
  readonly fundingIntervalHour?: string;
  /** In the venue's unit of quantity, unless `openInterestBase` is sent. */
  readonly openInterest?: string;
  readonly openInterestBase?: string;
  readonly markPrice?: string;
  readonly indexPrice?: string;
  /** Quote currency. */
  readonly turnover24h?: string;
}

export interface TickerFrame {
  readonly type: 'ticker';
  readonly isSnapshot: boolean;
  readonly timeMs: number;
  /** '' if the venue sends none. */
  readonly id: string;
  readonly fields: TickerFields;
  /** The values wait for the next frame that is not a part. */
  readonly isPart?: true;
  /** Price of the last trade: shows whether trades are missing while none arrive. */
  readonly lastPrice?: string;
}

interface Reconnected {
  readonly type: 'reconnected';
}

/** Messages of venues that send a whole book, then numbered changes. */
export type NumberedMessage = BookFrame | EntryFrame | TickerFrame | Reconnected | NotAccepted;

/** Trades or liquidations of one frame. Each is accepted or rejected separately. */
export function readEntries(channel: EntryFrame['channel'], rows: unknown, read: (row: Json) => Entry): NumberedMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'entries', channel, entries: (rows as unknown[]).map((row) => (isObject(row) ? read(row) : rejected('unknown_message'))) };
}

export function exchangeTimesOf(message: NumberedMessage): readonly number[] {
  if (message.type === 'snapshot' || message.type === 'delta') return [message.timeMs];
  return message.type === 'entries' ? message.entries.flatMap((entry) => ('timeMs' in entry ? [entry.timeMs] : [])) : [];
}

import { createHash } from 'node:crypto';

/** A row of a replay or stream. */
export interface PublicRow {
  readonly channel: string;
  readonly sequence: number;
  readonly exchange_time_utc: string;
  readonly flags: readonly string[];
  readonly packet_digest?: string;
  readonly row?: Row;
}

/** What the tests read of `market_state_row.v1`. */
export interface Row {
  readonly pass: number;
  readonly venue_id: string;
  readonly exchange_ts_ms: number;
  readonly price: string;
  readonly size: string;
  readonly venue_size?: string;
  readonly aggressor_side: string;
  readonly bids: readonly (readonly string[])[];
  readonly asks: readonly (readonly string[])[];
  readonly [field: string]: unknown;
}

const digits = 18;

/** A decimal as a whole number of 10^-18. */
export function unitsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** The sum of products of two decimals, as a whole number of 10^-36. */
export function productsOf(pairs: readonly (readonly [string, string])[]): bigint {
  return pairs.reduce((sum, [one, other]) => sum + unitsOf(one) * unitsOf(other), 0n);
}

/** The bytes of the row inside a public row as it was sent; of a packet its digest. */
export function chainedPart(sent: string, { packet_digest: digest }: PublicRow): string {
  return digest ?? sent.slice(sent.indexOf('"row":') + '"row":'.length, -1);
}

/** h0 is 32 zero bytes, h(n) = SHA-256(h(n-1), part n); lower-case hex of the last. */
export function chainOver(parts: readonly string[]): string {
  return parts.reduce((before, part) => createHash('sha256').update(before).update(part).digest(), Buffer.alloc(32)).toString('hex');
}

/**
 * The rows of a page as they stand in its text, one after the other.
 * @throws Error when one is spelled otherwise than its JSON is
 */
export function rowsAsSent(text: string, rows: readonly PublicRow[]): string[] {
  let at = text.indexOf('"rows":[');
  return rows.map((row) => {
    const sent = JSON.stringify(row);
    const found = text.indexOf(sent, at);
    if (found === -1) throw new Error(`row ${row.sequence} of ${row.channel} is spelled otherwise`);
    at = found + sent.length;
    return sent;
  });
}

/** Trades by exchange time, then pass, then the venue's number. */
export function inTradeOrder(trades: readonly Row[]): Row[] {
  return [...trades].sort(
    (one, other) =>
      one.exchange_ts_ms - other.exchange_ts_ms || one.pass - other.pass || (BigInt(one.venue_id) < BigInt(other.venue_id) ? -1 : 1),
  );
}

/** The rows of one channel. */
export function rowsOf(rows: readonly PublicRow[], channel: string): Row[] {
  return rows.filter((row) => row.channel === channel).map(({ row }) => row as Row);
}

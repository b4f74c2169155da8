import { createHash } from 'node:crypto';
import type { Api } from '../../system/api';

export interface PublicRow {
  readonly channel: string;
  readonly sequence: number;
  readonly exchange_time_utc: string;
  readonly flags: readonly string[];
  readonly packet_digest?: string;
  readonly row?: Row;
}

/** Fields of `market_state_row.v1` that the tests read. */
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

/** A decimal as an integer number of 10^-18. */
export function unitsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** Sum of products of two decimals, as an integer number of 10^-36. */
export function productsOf(pairs: readonly (readonly [string, string])[]): bigint {
  return pairs.reduce((sum, [one, other]) => sum + unitsOf(one) * unitsOf(other), 0n);
}

/** Bytes of the inner row as sent; for a packet its digest. */
export function chainedPart(sent: string, { packet_digest: digest }: PublicRow): string {
  return digest ?? sent.slice(sent.indexOf('"row":') + '"row":'.length, -1);
}

/** h0 is 32 zero bytes, h(n) = SHA-256(h(n-1), part n); lower-case hex of the last. */
export function chainOver(parts: readonly string[]): string {
  return parts.reduce((before, part) => createHash('sha256').update(before).update(part).digest(), Buffer.alloc(32)).toString('hex');
}

/**
 * Each row's text within a page.
 * @throws Error if a row's text differs from its JSON
 */
function rowsAsSent(text: string, rows: readonly PublicRow[]): string[] {
  let at = text.indexOf('"rows":[');
  return rows.map((row) => {
    const sent = JSON.stringify(row);
    const found = text.indexOf(sent, at);
    if (found === -1) throw new Error(`row ${row.sequence} of ${row.channel} is serialized differently`);
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

export function rowsOf(rows: readonly PublicRow[], channel: string): Row[] {
  return rows.filter((row) => row.channel === channel).map(({ row }) => row as Row);
}

export interface DataAnswer {
  readonly symbol: string;
  readonly as_of_utc: string;
  readonly source_status: string;
  readonly source: { readonly kind: string; readonly detail: string };
  readonly meta: { readonly synthetic: boolean; readonly response_semantics: Readonly<Record<string, unknown>> };
  readonly [field: string]: unknown;
}

export interface Gap {
  readonly gap_id: string;
  readonly kind: 'gap' | 'seam';
  readonly channel: string | null;
  readonly start_utc: string;
  readonly end_utc: string | null;
}

export interface Receipt {
  readonly rows_expected: number;
  readonly rows_sent: number;
  readonly gap_ids: readonly string[];
  readonly rows_sha256: string;
  readonly status: string;
  readonly reasons: readonly string[];
}

export interface Candle {
  readonly open_time_utc: string;
  readonly close_time_utc: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly notional: string;
  readonly trade_total: number;
  readonly complete: boolean;
  readonly gap: boolean;
}

/** All pages of a replay window. */
interface Window {
  readonly rows: readonly PublicRow[];
  /** Digested part of each row. */
  readonly parts: readonly string[];
  readonly gaps: readonly Gap[];
  readonly pageTotal: number;
  readonly receipt: Receipt;
}

type Query = Readonly<Record<string, string | number>>;

export interface DataReader {
  /** @throws Error if the answer is not 200 */
  read<T = DataAnswer>(route: string, query: Query): Promise<T & DataAnswer>;
  /** Follows the cursors of `replay/window`. */
  window(query: Query): Promise<Window>;
  /** Like window; false while rows may still arrive at its end. */
  finishedWindow(query: Query): Promise<Window | false>;
}

export function queryOf(query: Query): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

export function createDataReader(api: Api): DataReader {
  async function answer(route: string, query: Query) {
    const { status, body, text } = await api.getWithKey(`/api/public/data/${route}?${queryOf(query)}`);
    if (status !== 200) throw new Error(`${route}?${queryOf(query)} answers ${status}: ${text}`);
    return { body, text };
  }

  async function window(query: Query): Promise<Window> {
    const rows: PublicRow[] = [];
    const parts: string[] = [];
    const gaps: Gap[] = [];
    let cursor: string | null = '';
    let pageTotal = 0;
    let receipt: Receipt | undefined;
    while (cursor !== null) {
      const { body, text } = await answer('replay/window', { ...query, cursor });
      const page = body as unknown as { rows: PublicRow[]; gaps: Gap[]; next_cursor: string | null; completeness: Receipt };
      const sent = rowsAsSent(text, page.rows);
      parts.push(...page.rows.map((row, index) => chainedPart(sent[index] ?? '', row)));
      rows.push(...page.rows);
      gaps.push(...page.gaps);
      ({ next_cursor: cursor, completeness: receipt } = page);
      pageTotal += 1;
    }
    if (receipt === undefined) throw new Error('a replay without a page');
    return { rows, parts, gaps, pageTotal, receipt };
  }

  return {
    read: async <T>(route: string, query: Query) => (await answer(route, query)).body as unknown as T & DataAnswer,
    window,
    async finishedWindow(query) {
      const read = await window(query);
      return !read.receipt.reasons.includes('window_not_finished') && read;
    },
  };
}

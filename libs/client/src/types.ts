import type { operations } from './generated/operations';
import type { components, operations as Schema } from './generated/schema';

/** Name of an operation in the OpenAPI document. */
export type OperationId = keyof typeof operations & keyof Schema;

/** Operations that return a file. */
export type FileId = 'getExportFile' | 'getEventBundle';

/** Schemas of the OpenAPI document by name: `Schemas['Packet']`. */
export type Schemas = components['schemas'];

type Known<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;

type BodyOf<Operation> = Operation extends { readonly requestBody?: infer Body }
  ? Known<NonNullable<Body> extends { readonly content: { readonly 'application/json': infer Json } } ? Json : never>
  : unknown;

/** Path and query parameters, or body fields, as one object. */
export type Params<K extends OperationId> = {
  [Each in K]: Known<Schema[Each]['parameters']['path']> & Known<Schema[Each]['parameters']['query']> & BodyOf<Schema[Each]>;
}[K];

/** Body of a successful answer. Decimals are strings, times RFC 3339; later versions may add fields. */
export type Data<K extends OperationId> = Schema[K]['responses'][200] extends { readonly content: infer Content }
  ? Content[keyof Content]
  : unknown;

/** Facts about an answered call. */
export interface CallFacts {
  /** `X-Request-Id` of every attempt; `ms.usage.receipt({ request_id })` finds the receipt. */
  readonly requestId: string;
  /** 200, or 304 if `known` was still current. */
  readonly status: number;
  /** For the answered attempt; null if not metered. */
  readonly charged: number | null;
  /** Credits left afterwards; null if the call is not metered. */
  readonly remaining: number | null;
  /** Readable within a second; null if not metered. */
  readonly receiptId: string | null;
  /**
   * Times the SDK sent the call. Above 1, a lost response may have been charged too. Browsers may also resend a call
   * when a reused connection breaks.
   */
  readonly attempts: number;
  readonly etag: string | null;
}

/** Level of detail of packets: complete, or one screen. */
export type View = 'packet' | 'compact';

type CompactRow = Schemas['CompactPacket'] | Schemas['FoundCompactPacket'];

/** Row or packet in a view. */
export type RowIn<Row, V extends View> = V extends 'compact' ? Extract<Row, CompactRow> : Exclude<Row, CompactRow>;

type RowOfPage<Page> = Page extends { readonly rows: readonly (infer Row)[] } | { readonly packets: readonly (infer Row)[] } ? Row : never;

type PageIn<Page, V extends View> = Page extends unknown
  ? [RowIn<RowOfPage<Page>, V>] extends [never]
    ? never
    : {
        readonly [F in keyof Page]: F extends 'rows' | 'packets'
          ? Page[F] extends readonly (infer Row)[]
            ? readonly RowIn<Row, V>[]
            : Page[F]
          : Page[F];
      }
  : never;

/** Body of a successful answer in one view. */
export type DataIn<K extends OperationId, V extends View> = View extends V ? Data<K> : PageIn<Data<K>, V>;

export interface Answer<K extends OperationId, D = Data<K>> {
  readonly data: D;
  readonly call: CallFacts;
}

/** File being downloaded. */
export interface FileAnswer {
  /** 200 for the whole file, 206 for a range. Its body fails after `timeoutMs` without data. */
  readonly response: Response;
  readonly call: CallFacts;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Timeout of one attempt in milliseconds; the client's by default. */
  readonly timeoutMs?: number;
  /** Credits of the call's kind; the client's `maxCreditsPerCall` by default. */
  readonly maxCredits?: number;
  /** Quote to bind the call to; `ms.quote` sets it for you. */
  readonly quoteId?: string;
  /** Replaces the generated key, so that a later call can repeat this one. */
  readonly idempotencyKey?: string;
  /** Earlier answer of the same call: its `data` is returned again if unchanged. */
  readonly known?: { readonly data: unknown; readonly call: Pick<CallFacts, 'etag'> };
  /** Additional headers, such as `range`. */
  readonly headers?: Readonly<Record<string, string>>;
}

type RowsField<K extends OperationId> = (typeof operations)[K] extends { readonly rows: infer Field } ? Field : never;

/** One row of a page. */
export type RowOf<K extends OperationId, V extends View = View> =
  DataIn<K, V> extends infer Page ? (Page extends { readonly [F in RowsField<K> & string]: readonly (infer Row)[] } ? Row : never) : never;

/** All pages in order, requested as rows are read; pages not reached are not charged. */
export interface Rows<K extends OperationId, Row = RowOf<K>, D = Data<K>> extends AsyncIterable<Row> {
  /** Pages, each with its cost. */
  pages(): AsyncGenerator<Answer<K, D>, void, undefined>;
  /** First `total` rows, or fewer if there are no more. */
  take(total: number): Promise<Row[]>;
  /** All rows. @throws RangeError if there are more than `maxRows` */
  all(bound: { readonly maxRows: number }): Promise<Row[]>;
}

import type { operations } from './generated/operations';
import type { components, operations as Schema } from './generated/schema';

/** Name of an operation in the OpenAPI document. */
export type OperationId = keyof typeof operations & keyof Schema;

/** Operations that answer with a file. */
export type FileId = 'getExportFile' | 'getEventBundle';

/** Schemas of the OpenAPI document by name: `Schemas['Packet']`. */
export type Schemas = components['schemas'];

type Known<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;

type BodyOf<Operation> = Operation extends { readonly requestBody?: infer Body }
  ? Known<NonNullable<Body> extends { readonly content: { readonly 'application/json': infer Json } } ? Json : never>
  : unknown;

/** What an operation takes, in one object: the parameters of its path and query, or the fields of its body. */
export type Params<K extends OperationId> = Known<Schema[K]['parameters']['path']> &
  Known<Schema[K]['parameters']['query']> &
  BodyOf<Schema[K]>;

/** Body of the good answer of an operation. Decimals are strings, times RFC 3339; a later service may send further fields. */
export type Data<K extends OperationId> = Schema[K]['responses'][200] extends { readonly content: infer Content }
  ? Content[keyof Content]
  : unknown;

/** What is known of a call once it has been answered. */
export interface CallFacts {
  /** Sent with every attempt as `X-Request-Id`: it finds the receipts (`ms.usage.receipt({ request_id })`). */
  readonly requestId: string;
  /** 200, or 304 where `known` was still right. */
  readonly status: number;
  /** Credits charged for the attempt that was answered; null where the call is not metered. */
  readonly charged: number | null;
  /** Credits left after it; null where the call is not metered. */
  readonly remaining: number | null;
  /** Of the receipt, which can be read within a second; null where the call is not metered. */
  readonly receiptId: string | null;
  /**
   * Times that the SDK sent it. Above 1, an answer that was lost on the way may have been charged too. A browser may have sent it more
   * often: again of itself when a connection that it kept broke before an answer.
   */
  readonly attempts: number;
  readonly etag: string | null;
}

/** How much of each packet is sent: all of it, or one screen of it. */
export type View = 'packet' | 'compact';

type CompactRow = Schemas['CompactPacket'] | Schemas['FoundCompactPacket'];

/** A row, or packet, as a view has it. */
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

/** Body of the good answer of an operation in one view. */
export type DataIn<K extends OperationId, V extends View> = View extends V ? Data<K> : PageIn<Data<K>, V>;

export interface Answer<K extends OperationId, D = Data<K>> {
  readonly data: D;
  readonly call: CallFacts;
}

/** A file as it comes in. */
export interface FileAnswer {
  /** 200 for the whole file, 206 for a range of it. Its body breaks off when nothing of it comes for `timeoutMs`. */
  readonly response: Response;
  readonly call: CallFacts;
}

/** What holds for one call. */
export interface CallOptions {
  /** Ends the call: it throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest time for one attempt, milliseconds, instead of the client's. */
  readonly timeoutMs?: number;
  /** Most credits for this call, of the kind that it costs, instead of the client's `maxCreditsPerCall`. */
  readonly maxCredits?: number;
  /** A quote to bind the call to (`ms.quote` does it for you). */
  readonly quoteId?: string;
  /** For an operation that takes one: yours instead of a new one, so that a later call repeats this one. */
  readonly idempotencyKey?: string;
  /** An earlier answer of the same call: if it is still right the service says so, and its `data` is returned again. */
  readonly known?: { readonly data: unknown; readonly call: Pick<CallFacts, 'etag'> };
  /** Further headers, such as `range`. */
  readonly headers?: Readonly<Record<string, string>>;
}

type RowsField<K extends OperationId> = (typeof operations)[K] extends { readonly rows: infer Field } ? Field : never;

/** One row of a page. */
export type RowOf<K extends OperationId, V extends View = View> =
  DataIn<K, V> extends infer Page ? (Page extends { readonly [F in RowsField<K> & string]: readonly (infer Row)[] } ? Row : never) : never;

/** The rows of every page, in order. Pages are asked for as rows are read: one that is not reached is not paid. */
export interface Rows<K extends OperationId, Row = RowOf<K>, D = Data<K>> extends AsyncIterable<Row> {
  /** Page by page, with what each has cost. */
  pages(): AsyncGenerator<Answer<K, D>, void, undefined>;
  /** The first `total` rows, or fewer if there are no more. */
  take(total: number): Promise<Row[]>;
  /** All rows. @throws RangeError when there are more than `maxRows` */
  all(bound: { readonly maxRows: number }): Promise<Row[]>;
}

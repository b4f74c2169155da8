import type { Grant, Credential } from '../auth/grant';
import { unauthenticated } from '../errors/problem';
import type { operations } from '../../../openapi/generated/operations';
import type { FreshnessState, SourceKindName } from '../meta/meta';
import type { Representation, TextOf } from '../http/representation';
import type { Operation } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import type { Described } from '../openapi/described';

/** Attempt of a call with an Idempotency-Key, by which a service recognises the effect of an earlier attempt. */
export interface CallTry {
  /** The same for every attempt, on every gateway. */
  readonly operationId: string;
  /** Fencing token: increases with every attempt. */
  readonly operationFence: number;
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** File sent as a stream; callers may request a range. */
export interface FileAnswer {
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Of the whole file, lower-case hex. */
  readonly sha256: string;
  /** Generated for each call and always sent whole, ignoring ranges; default false. */
  readonly isWhole?: boolean;
  readonly observed?: number;
  /**
   * Streams a non-empty range with backpressure. Ends early if the signal aborts.
   * @throws {ServiceError}
   */
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Messages for one reader, and the reader's position after them. */
export interface Piece {
  readonly bytes: Buffer;
  /** Id to resume from after this piece; null before the first message that has one. */
  readonly id: string | null;
  readonly messageTotal: number;
  /** Rows and gaps that this piece reports as missed. */
  readonly skippedTotal: number;
}

/** Completeness of a replayed window. */
export type ReceiptStatus = Described<'Completeness'>['status'];

export interface StreamSource {
  readonly heartbeatFirst: boolean;
  /** Id to resume from before the first piece; null if there is none yet. */
  readonly startId: string | null;
  /**
   * Ends after the last message, with the receipt's status as code, or when the signal aborts.
   * @throws {ServiceError} if the source is lost for good
   */
  pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined>;
  /** Newest feed clock received, in milliseconds since the epoch; 0 before the first. */
  feedClockMs(): number;
  /** Feed clock by symbol, for streams of several symbols. */
  feedClocks?(): ReadonlyMap<string, number>;
  sourceKinds(): readonly SourceKindName[];
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
  /** Receipt status of a finished replay, repeated in its last message. Absent on streams without an end. */
  receiptStatus?(): ReceiptStatus | null;
  close(): void;
}

export type OperationId = keyof operations;

/** Parameters of one kind as the document types them. */
type Given<Sent> = [Sent] extends [undefined] ? Readonly<Record<never, never>> : Readonly<NonNullable<Sent>>;

/** JSON body as the document types it; undefined if absent or optional. */
type BodyOf<Op extends OperationId> = operations[Op] extends { readonly requestBody?: infer Body }
  ? Body extends { readonly content: { readonly 'application/json': infer Json } }
    ? Json
    : undefined
  : undefined;

/** Validated input of an operation, with defaults filled in. */
export interface InputOf<Op extends OperationId> extends Input {
  readonly query: Given<operations[Op]['parameters']['query']>;
  readonly path: Given<operations[Op]['parameters']['path']>;
  readonly body: BodyOf<Op>;
}

/** Request context. */
export interface CallContext {
  readonly operation: Operation;
  readonly grant: Grant | null;
  /** Credential presented; null without one. */
  readonly credential: Credential | null;
  /** The query as sent, without `?`. */
  readonly rawQuery: string;
  readonly requestId: string;
  readonly address: string;
  readonly bodyBytes: Buffer | undefined;
  /** Set for a call with an Idempotency-Key. */
  readonly ownTry?: CallTry;
}

/** An admitted and validated request. */
export interface Call<Op extends OperationId> extends CallContext {
  readonly input: InputOf<Op>;
}

/** Call of an operation known only at run time. */
export interface AnyCall extends CallContext {
  readonly input: Input;
}

/** Part of the past that an answer covers. */
export interface PastReach {
  readonly symbols: readonly string[];
  /**
   * Exchange time up to which the answer depends on rows or on time passing, in milliseconds since the epoch; 0 if on
   * neither.
   */
  readonly throughMs: number;
  /** The next packet may be part of it. */
  readonly upToNewest: boolean;
  /** Source state that the answer reports; the cached answer is valid only while it is unchanged. */
  readonly sourceState?: FreshnessState;
}

export type Reply<Content = unknown> = Representation<Content> & {
  /** Status of an answer to a message of another protocol, which carries its own status; default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Units to charge, rows or symbols; default the estimate. */
  readonly observed?: number;
  /** Set for an answer that is stable until this part of the past changes; absent for current or incomplete answers. */
  readonly past?: PastReach;
};

/** Content of a 200 response by media type. */
type ContentOf<Op extends OperationId> = operations[Op]['responses'] extends { readonly 200: { readonly content: infer Content } }
  ? Content
  : never;

/** JSON body of a 200 response. */
export type AnswerOf<Op extends OperationId> = ContentOf<Op> extends { readonly 'application/json': infer Json } ? Json : never;

type MediaTypeOf<Op extends OperationId> = keyof ContentOf<Op> & string;

type FileType = '*/*' | 'application/gzip';

/** Media types of pages and other texts. */
type TextTypeOf<Op extends OperationId> = Exclude<MediaTypeOf<Op>, 'application/json' | 'text/event-stream' | FileType>;

/** Reply of an operation's handler: JSON as the document types it, an endless stream, a file, or a page. */
type ReplyOf<Op extends OperationId> =
  | ('application/json' extends MediaTypeOf<Op> ? Reply<AnswerOf<Op>> : never)
  | ('text/event-stream' extends MediaTypeOf<Op> ? StreamSource : never)
  | ([Extract<MediaTypeOf<Op>, FileType>] extends [never] ? never : FileAnswer)
  | ([TextTypeOf<Op>] extends [never] ? never : Reply<TextOf<TextTypeOf<Op>>>);

/** Serves one operation. Errors it throws become the error answer. */
export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<ReplyOf<Op>> | ReplyOf<Op>;

export type AnyReply = Reply | StreamSource | FileAnswer;

export type AnyHandler = (call: AnyCall) => Promise<AnyReply> | AnyReply;

/** One handler for each operation named, by default for all. */
export type HandlerTable<Ops extends OperationId = OperationId> = { readonly [Op in Ops]: Handler<Op> };

/** Wraps every handler of a table. */
export function wrapped<Ops extends OperationId>(table: HandlerTable<Ops>, wrap: (handler: AnyHandler) => AnyHandler): HandlerTable<Ops> {
  return Object.fromEntries([...byOperationId(table)].map(([id, handler]) => [id, wrap(handler)])) as unknown as HandlerTable<Ops>;
}

/**
 * Handlers by operation id. The only place that drops the operation type: requests are validated against the same
 * document that the types are generated from.
 */
export function byOperationId<Ops extends OperationId>(table: HandlerTable<Ops>): ReadonlyMap<string, AnyHandler> {
  return new Map(Object.entries(table) as unknown as [string, AnyHandler][]);
}

export function isStream(answer: AnyReply): answer is StreamSource {
  return 'pieces' in answer;
}

export function isFile(answer: AnyReply): answer is FileAnswer {
  return 'read' in answer;
}

/** @throws {Problem} 401 without a grant */
export function grantOf({ grant }: Pick<CallContext, 'grant'>): Grant {
  if (grant === null) throw unauthenticated();
  return grant;
}

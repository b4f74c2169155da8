import type { Grant, Credential } from '../auth/grant';
import { unauthenticated } from '../errors/problem';
import type { operations } from '../../../openapi/generated/operations';
import type { FreshnessState, SourceKindName } from '../meta/meta';
import type { Representation, TextOf } from '../http/representation';
import type { Operation } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import type { Described } from '../openapi/described';

/** A try of a call with an Idempotency-Key, by which a service knows an effect that an earlier try had. */
export interface CallTry {
  /** The same for every try of the call, on every gateway. */
  readonly operationId: string;
  /** Rises with every try. */
  readonly operationFence: number;
}

/** Bytes of a file in [from, to). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** A file that is sent as it comes, of which a caller may ask for a part. */
export interface FileAnswer {
  /** Name under which a caller is to keep it; one of ours. */
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Of the whole file, lower-case hex. */
  readonly sha256: string;
  /** It is made anew for each call and sent whole, whatever range is asked for; default false. */
  readonly isWhole?: boolean;
  /** Units that the call is charged by; absent: as many as it was estimated at. */
  readonly observed?: number;
  /** The bytes of a range that is not empty, read as fast as they are taken. Ends early when the signal aborts; throws ServiceErrors. */
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Messages for one reader, and where the reader is once it has them. */
export interface Piece {
  /** Empty when only the position moved. */
  readonly bytes: Buffer;
  /** Id to resume from then; null before the first message that has one. */
  readonly id: string | null;
  readonly messageTotal: number;
  /** Rows and gaps that this piece tells the reader it missed. */
  readonly skippedTotal: number;
}

/** Whether all rows of a window were sent. */
export type ReceiptStatus = Described<'Completeness'>['status'];

/** What one stream sends, made only as fast as its reader takes it. */
export interface StreamSource {
  /** A heartbeat goes before the first piece, which may be long in coming. */
  readonly heartbeatFirst: boolean;
  /** Id to resume from before the first piece; null where there is none yet. */
  readonly startId: string | null;
  /**
   * Ends when all is sent, with the status of the receipt as code, and when the signal aborts. Throws a ServiceError when the source is
   * lost for good.
   */
  pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined>;
  /** Newest instant of the feed clock that was heard, milliseconds since the epoch; 0 where none was. */
  feedClockMs(): number;
  /** The same for each symbol of a stream of several. */
  feedClocks?(): ReadonlyMap<string, number>;
  sourceKinds(): readonly SourceKindName[];
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
  /** Of a replay that came to its receipt: the receipt's status, which its last message repeats. Absent: it has no end of its own. */
  receiptStatus?(): ReceiptStatus | null;
  /** Lets go of what the source holds. */
  close(): void;
}

/** An operation of the document. */
export type OperationId = keyof operations;

/** Parameters of one kind as the document types them; none where it has none. */
type Given<Sent> = [Sent] extends [undefined] ? Readonly<Record<never, never>> : Readonly<NonNullable<Sent>>;

/** The JSON body as the document types it; undefined where it has none, or may be left out. */
type BodyOf<Op extends OperationId> = operations[Op] extends { readonly requestBody?: infer Body }
  ? Body extends { readonly content: { readonly 'application/json': infer Json } }
    ? Json
    : undefined
  : undefined;

/** The input of an operation, validated: a parameter that was not sent has its default. */
export interface InputOf<Op extends OperationId> extends Input {
  readonly query: Given<operations[Op]['parameters']['query']>;
  readonly path: Given<operations[Op]['parameters']['path']>;
  readonly body: BodyOf<Op>;
}

/** What came with a request beside its input. */
export interface CallContext {
  readonly operation: Operation;
  /** Null on a route that needs no credential. */
  readonly grant: Grant | null;
  /** What was presented; null when nothing. */
  readonly credential: Credential | null;
  /** The query as sent, without `?`. */
  readonly rawQuery: string;
  readonly requestId: string;
  /** Network address of the caller. */
  readonly address: string;
  /** The body as it was sent; undefined when there is none. */
  readonly bodyBytes: Buffer | undefined;
  /** Of a call with an Idempotency-Key. */
  readonly ownTry?: CallTry;
}

/** A request that was let in and keeps to the document. */
export interface Call<Op extends OperationId> extends CallContext {
  readonly input: InputOf<Op>;
}

/** A call of an operation that is known only while the service runs. */
export interface AnyCall extends CallContext {
  readonly input: Input;
}

/** Which part of the past an answer is about. */
export interface PastReach {
  readonly symbols: readonly string[];
  /** Exchange time up to which it speaks of rows, or of what time alone changes, milliseconds since the epoch; 0: of neither. */
  readonly throughMs: number;
  /** The next packet may belong into it. */
  readonly upToNewest: boolean;
  /** What it calls the state of its source, if it does: it holds as long as that is true. */
  readonly sourceState?: FreshnessState;
}

/** A body to send, and what goes with it. */
export type Reply<Content = unknown> = Representation<Content> & {
  /** Of an answer to a message of another protocol, which says itself how it fares: 200 unless given. */
  readonly status?: number;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Units that the call is charged by, as they came out: rows or symbols of the answer; absent: as many as it was estimated at. */
  readonly observed?: number;
  /** Of an answer that stays as it is until something of this part of the past changes; absent: it is of now, or lacks something. */
  readonly past?: PastReach;
};

/** What an operation answers with 200, by media type, as the document types it. */
type ContentOf<Op extends OperationId> = operations[Op]['responses'] extends { readonly 200: { readonly content: infer Content } }
  ? Content
  : never;

/** The JSON body of an operation's 200. */
export type AnswerOf<Op extends OperationId> = ContentOf<Op> extends { readonly 'application/json': infer Json } ? Json : never;

type MediaTypeOf<Op extends OperationId> = keyof ContentOf<Op> & string;

/** Media types of files. */
type FileType = '*/*' | 'application/gzip';

/** Media types of pages and other texts, of whose text the document says no more. */
type TextTypeOf<Op extends OperationId> = Exclude<MediaTypeOf<Op>, 'application/json' | 'text/event-stream' | FileType>;

/** What the handler of an operation gives: JSON as the document types it, messages without an end, a file, or the text of a page. */
type ReplyOf<Op extends OperationId> =
  | ('application/json' extends MediaTypeOf<Op> ? Reply<AnswerOf<Op>> : never)
  | ('text/event-stream' extends MediaTypeOf<Op> ? StreamSource : never)
  | ([Extract<MediaTypeOf<Op>, FileType>] extends [never] ? never : FileAnswer)
  | ([TextTypeOf<Op>] extends [never] ? never : Reply<TextOf<TextTypeOf<Op>>>);

/** Serves one operation. What it throws becomes the error answer. */
export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<ReplyOf<Op>> | ReplyOf<Op>;

/** What the handler of any operation gives. */
export type AnyReply = Reply | StreamSource | FileAnswer;

/** A handler that takes the call of any operation. */
export type AnyHandler = (call: AnyCall) => Promise<AnyReply> | AnyReply;

/** A handler of every operation named, or of every one there is. */
export type HandlerTable<Ops extends OperationId = OperationId> = { readonly [Op in Ops]: Handler<Op> };

/** The handlers, each within another that takes the same calls and gives the same replies. */
export function wrapped<Ops extends OperationId>(table: HandlerTable<Ops>, wrap: (handler: AnyHandler) => AnyHandler): HandlerTable<Ops> {
  return Object.fromEntries([...byOperationId(table)].map(([id, handler]) => [id, wrap(handler)])) as unknown as HandlerTable<Ops>;
}

/**
 * The handlers by operation id, for whoever finds them by a request. Here alone it is forgotten which operation a handler is of: the
 * validator has checked a request by the same document that the handler's types are made from.
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

/** The grant of a call to a route that needs one. */
export function grantOf({ grant }: Pick<CallContext, 'grant'>): Grant {
  if (grant === null) throw unauthenticated();
  return grant;
}

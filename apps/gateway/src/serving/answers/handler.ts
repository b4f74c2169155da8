import type { Grant, Credential } from '../auth/credentials';
import { unauthenticated } from '../errors/problem';
import type { operations } from '../../../openapi/generated/operations';
import type { FreshnessState, SourceKindName } from '../meta/meta';
import type { Representation, TextOf } from '../http/representation';
import { type Operation, operations as documented } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import type { Described } from '../openapi/document';

/** Lets a service recognise the effect of an earlier attempt with the same Idempotency-Key. */
export interface CallTry {
  /** The same for every attempt. */
  readonly operationId: string;
  /** Fencing token: increases with every attempt. */
  readonly operationFence: number;
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface FileAnswer {
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** SHA-256 of the whole file, lower-case hex. */
  readonly sha256: string;
  /** Generated for each call and always sent whole, ignoring ranges; default false. */
  readonly isWhole?: boolean;
  readonly observed?: number;
  /**
   * Streams a non-empty range; ends early if the signal aborts.
   * @throws {ServiceError}
   */
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export interface Piece {
  readonly bytes: Buffer;
  /** Resume id after this piece; null before the first message that has one. */
  readonly id: string | null;
  readonly messageTotal: number;
  /** Rows and gaps that this piece reports as missed. */
  readonly skippedTotal: number;
}

export type ReceiptStatus = Described<'Completeness'>['status'];

export interface StreamSource {
  readonly heartbeatFirst: boolean;
  /** Resume id before the first piece; null without one. */
  readonly startId: string | null;
  /**
   * Ends after the last message, with the receipt's status as code, or when the signal aborts.
   * @throws {ServiceError} if the source is lost for good
   */
  pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined>;
  /** Milliseconds since the epoch; 0 before the first. */
  feedClockMs(): number;
  feedClocks?(): ReadonlyMap<string, number>;
  sourceKinds(): readonly SourceKindName[];
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
  /** Receipt status of a finished replay. Absent on endless streams. */
  receiptStatus?(): ReceiptStatus | null;
  close(): void;
}

export type OperationId = keyof operations;

type Given<Sent> = [Sent] extends [undefined] ? Readonly<Record<never, never>> : Readonly<NonNullable<Sent>>;

type BodyOf<Op extends OperationId> = operations[Op] extends { readonly requestBody?: infer Body }
  ? Body extends { readonly content: { readonly 'application/json': infer Json } }
    ? Json
    : undefined
  : undefined;

export interface InputOf<Op extends OperationId> extends Input {
  readonly query: Given<operations[Op]['parameters']['query']>;
  readonly path: Given<operations[Op]['parameters']['path']>;
  readonly body: BodyOf<Op>;
}

export interface CallContext {
  readonly operation: Operation;
  readonly grant: Grant | null;
  /** Null without one. */
  readonly credential: Credential | null;
  /** Raw, without `?`. */
  readonly rawQuery: string;
  readonly requestId: string;
  /** Address of the caller. */
  readonly address: () => string;
  /** Value of a cookie of the caller. */
  readonly cookie: (name: string) => string | undefined;
  readonly bodyBytes: Buffer | undefined;
  /** Set for a call with an Idempotency-Key. */
  readonly ownTry?: CallTry;
}

export interface Call<Op extends OperationId> extends CallContext {
  readonly input: InputOf<Op>;
}

/** Operation known only at run time. */
export interface AnyCall extends CallContext {
  readonly input: Input;
}

export interface PastReach {
  readonly symbols: readonly string[];
  /** Exchange time that the answer depends on, in milliseconds since the epoch; 0 for none. */
  readonly throughMs: number;
  /** The next packet may be part of it. */
  readonly upToNewest: boolean;
  /** The cached answer is valid only while this is unchanged. */
  readonly sourceState?: FreshnessState;
}

export type Reply<Content = unknown> = Representation<Content> & {
  /** Set by protocols that carry their own status; default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Units to charge; default the estimate. */
  readonly observed?: number;
  /** Set if the answer is stable until this part of the past changes. */
  readonly past?: PastReach;
};

type ContentOf<Op extends OperationId> = operations[Op]['responses'] extends { readonly 200: { readonly content: infer Content } }
  ? Content
  : never;

export type AnswerOf<Op extends OperationId> = ContentOf<Op> extends { readonly 'application/json': infer Json } ? Json : never;

type MediaTypeOf<Op extends OperationId> = keyof ContentOf<Op> & string;

type FileType = '*/*' | 'application/gzip';

type TextTypeOf<Op extends OperationId> = Exclude<MediaTypeOf<Op>, 'application/json' | 'text/event-stream' | FileType>;

/** JSON, an endless stream, a file, or a page, as documented. */
type ReplyOf<Op extends OperationId> =
  | ('application/json' extends MediaTypeOf<Op> ? Reply<AnswerOf<Op>> : never)
  | ('text/event-stream' extends MediaTypeOf<Op> ? StreamSource : never)
  | ([Extract<MediaTypeOf<Op>, FileType>] extends [never] ? never : FileAnswer)
  | ([TextTypeOf<Op>] extends [never] ? never : Reply<TextOf<TextTypeOf<Op>>>);

/** Errors it throws become the error answer. */
export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<ReplyOf<Op>> | ReplyOf<Op>;

export type AnyReply = Reply | StreamSource | FileAnswer;

export type AnyHandler = (call: AnyCall) => Promise<AnyReply> | AnyReply;

/** Default: every operation. */
export type HandlerTable<Ops extends OperationId = OperationId> = { readonly [Op in Ops]: Handler<Op> };

type HandlersIn<Module> = {
  readonly [Name in keyof Module & OperationId]: Module[Name] extends (deps: never) => infer Made ? Made : never;
};

/** Binds the handlers that modules of a tag export under their operation ids; their other exports are left out. */
export function handlersOf<
  Deps,
  Module extends { readonly [Name in keyof Module]: Name extends OperationId ? (deps: Deps) => unknown : unknown },
>(deps: Deps, module: Module): HandlersIn<Module> {
  const makers = module as unknown as Readonly<Record<string, (deps: Deps) => unknown>>;
  const handlers = documented.flatMap(({ operationId }) => {
    const make = makers[operationId];
    return make === undefined ? [] : [[operationId, make(deps)]];
  });
  return Object.fromEntries(handlers) as HandlersIn<Module>;
}

export function wrapped<Ops extends OperationId>(table: HandlerTable<Ops>, wrap: (handler: AnyHandler) => AnyHandler): HandlerTable<Ops> {
  return Object.fromEntries([...byOperationId(table)].map(([id, handler]) => [id, wrap(handler)])) as unknown as HandlerTable<Ops>;
}

/**
 * Requests are validated against the document that the types are generated from, so only this place drops the operation
 * type.
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

export type { AlertMessage, AlertStreamParams } from './alerts';
export {
  BudgetError,
  ConflictError,
  type Fault,
  ForbiddenError,
  GoneError,
  InvalidError,
  NotFoundError,
  PaymentRequiredError,
  type ProblemCode,
  ProblemError,
  type ProblemFacts,
  RateLimitedError,
  ServerError,
  StreamEnded,
  TransportError,
  UnauthorizedError,
  VerificationError,
} from './errors';
export type { DownloadedFile, DownloadOptions, WaitOptions } from './exports';
export { isUsable } from './is-usable';
export { MarketState, type MarketStateOptions, type OutgoingRequest } from './market-state';
export type { Quote } from './market-state';
export type { ChannelRange, Instant, RangeParams } from './ranges';
export type {
  BackfillMessage,
  ConflatedMessage,
  EndMessage,
  GapMessage,
  HoleMessage,
  PacketMessage,
  PlanMessage,
  ReceiptMessage,
  RowBackfillMessage,
  RowMessage,
  SkippedMessage,
  ConnectionStanding,
  ConnectionStatus,
  StreamMessages,
  StreamOptions,
} from './streams/types';
export type { Answer, CallFacts, CallOptions, Data, DataIn, FileAnswer, OperationId, Params, Rows, Schemas, View } from './types';

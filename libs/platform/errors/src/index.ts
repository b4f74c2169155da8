export { GRPC_CODES } from './grpc-codes';
export { type ProblemCode, PROBLEMS } from './problems';
export { ERROR_REASONS, type ErrorReason } from './reasons';
export { ServiceError, isServiceError, type Fault } from './service-error';
export {
  cancelled,
  deadlineExceeded,
  failedPrecondition,
  internal,
  invalidArgument,
  notFound,
  resourceExhausted,
  toServiceError,
  unavailable,
  unknownSymbol,
} from './constructors';
export { errorFromWire, errorToWire, isPhrasedByService } from './wire';

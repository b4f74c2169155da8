export { type ProblemCode, PROBLEMS } from './problems';
export { ERROR_REASONS, type ErrorReason } from './reasons';
export {
  cancelled,
  deadlineExceeded,
  failedPrecondition,
  type Fault,
  GRPC_CODES,
  internal,
  invalidArgument,
  isServiceError,
  notFound,
  resourceExhausted,
  ServiceError,
  toServiceError,
  unauthenticated,
  unavailable,
  unknownSymbol,
} from './service-error';
export { errorFromWire, errorToWire, isPhrasedByService } from './wire';

export { GRPC_CODES, grpcCodeName, type GrpcCodeName } from './grpc-codes';
export { ERROR_REASONS, isErrorReason, type ErrorReason } from './reasons';
export { ServiceError, isServiceError, type Fault, type ServiceErrorParts } from './service-error';
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
  type ErrorExtras,
} from './constructors';
export { ERROR_FAULTS_KEY, ERROR_METADATA_KEY, ERROR_REASON_KEY, errorFromWire, errorToWire, type WireError } from './wire';

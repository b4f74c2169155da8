export { GRPC_CODES, grpcCodeName, type GrpcCodeName } from './grpc-codes';
export { isErrorReason, type ErrorReason } from './reasons';
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
export { errorFromWire, errorToWire, isPhrasedByService, type WireError } from './wire';

import { Metadata, type ServiceError as GrpcError, type StatusObject } from '@grpc/grpc-js';
import { errorFromWire, errorToWire, GRPC_CODES, isPhrasedByService, ServiceError, toServiceError } from '@market-state/errors';

/** The status to send for an error; an error of no known kind becomes INTERNAL with a general sentence. */
export function toStatus(error: unknown): { status: StatusObject; error: ServiceError } {
  const known = toServiceError(error);
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(errorToWire(known))) metadata.set(key, value);
  return { status: { code: GRPC_CODES[known.code], details: known.message, metadata }, error: known };
}

function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && typeof (error as Partial<GrpcError>).code === 'number' && 'metadata' in error;
}

/** The ServiceError of a failed outgoing call. */
export function fromGrpcError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!isGrpcError(error)) return toServiceError(error);
  return errorFromWire({
    code: error.code,
    details: error.details,
    cause: error,
    metadata: textIn(error),
  });
}

/** Whether the service itself reported this failure of an outgoing call; else it was the transport, or the call's own deadline. */
export function isToldByService({ cause }: ServiceError): boolean {
  return isGrpcError(cause) && isPhrasedByService({ metadata: textIn(cause) });
}

function textIn({ metadata }: GrpcError): (key: string) => string | undefined {
  return (key) => {
    const [value] = metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  };
}

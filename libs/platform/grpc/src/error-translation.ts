import { GRPC_CODES, ServiceError, errorFromWire, errorToWire, toServiceError, isPhrasedByService } from '@market-state/errors';
import type { OpenSpan } from '@market-state/tracing';
import { Metadata, type ServiceError as GrpcError, type StatusObject } from '@grpc/grpc-js';

/** An unknown error becomes INTERNAL with a generic sentence. */
export function toStatus(error: unknown): { status: StatusObject; error: ServiceError } {
  const known = toServiceError(error);
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(errorToWire(known))) metadata.set(key, value);
  return { status: { code: GRPC_CODES[known.code], details: known.message, metadata }, error: known };
}

function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && typeof (error as Partial<GrpcError>).code === 'number' && 'metadata' in error;
}

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

/** False for the transport or the call's own deadline. */
export function isReportedByService({ cause }: ServiceError): boolean {
  return isGrpcError(cause) && isPhrasedByService({ metadata: textIn(cause) });
}

function textIn({ metadata }: GrpcError): (key: string) => string | undefined {
  return (key) => {
    const [value] = metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  };
}

interface PartialFailure {
  code: number;
  sentence: string;
  metadata: Record<string, string>;
}

/** Treats unknown errors as `toStatus` does. */
export function toPartialFailure(error: unknown): PartialFailure {
  const known = toServiceError(error);
  return { code: GRPC_CODES[known.code], sentence: known.message, metadata: errorToWire(known) };
}

export function fromPartialFailure({ code, sentence, metadata }: PartialFailure): ServiceError {
  return errorFromWire({ code, details: sentence, metadata: (key) => metadata[key] });
}

/** Other codes are answers about the call. */
const FAULTS: ReadonlySet<ServiceError['code']> = new Set([
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'UNAVAILABLE',
  'UNIMPLEMENTED',
  'DATA_LOSS',
]);

/** Failed only if the service was. */
export function endCallSpan(span: OpenSpan, error: ServiceError | undefined): void {
  span.set({ 'rpc.grpc.status_code': error === undefined ? 0 : GRPC_CODES[error.code] });
  span.end(error !== undefined && FAULTS.has(error.code) ? error : undefined);
}

import { GRPC_CODES, type ServiceError } from '@market-state/errors';
import type { OpenSpan } from '@market-state/tracing';

/** Codes that say that a service failed; any other error is an answer about the call. */
const FAULTS: ReadonlySet<ServiceError['code']> = new Set([
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'UNAVAILABLE',
  'UNIMPLEMENTED',
  'DATA_LOSS',
]);

/** Ends the span of a call with its code: as failed when the service failed, not when it refused. */
export function endCallSpan(span: OpenSpan, error: ServiceError | undefined): void {
  span.set({ 'rpc.grpc.status_code': error === undefined ? 0 : GRPC_CODES[error.code] });
  span.end(error !== undefined && FAULTS.has(error.code) ? error : undefined);
}

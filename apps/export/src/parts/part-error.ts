import { ArchiveCorruptError, ObjectNotFoundError, StoreError, StoreFullError } from '@market-state/archive';
import { ServiceError } from '@market-state/errors';
import type { FailureReason } from '../jobs/job';

export class PartError extends Error {
  override readonly name = 'PartError';

  constructor(
    readonly reason: FailureReason,
    /** Shown to the customer, such as the hour and row counts. */
    readonly detail: string | undefined,
    options: ErrorOptions = {},
  ) {
    super(detail === undefined ? reason : `${reason}: ${detail}`, options);
  }
}

const MAY_PASS: readonly FailureReason[] = ['storage_unreachable', 'internal'];

export function mayPass({ reason }: PartError): boolean {
  return MAY_PASS.includes(reason);
}

export function toPartError(error: unknown): PartError {
  if (error instanceof PartError) return error;
  if (isFull(error)) return new PartError('storage_full', undefined, { cause: error });
  if (error instanceof ArchiveCorruptError) return new PartError('source_damaged', error.message, { cause: error });
  if (error instanceof ObjectNotFoundError) return new PartError('source_gone', undefined, { cause: error });
  if (error instanceof StoreError) return new PartError('storage_unreachable', undefined, { cause: error });
  if (error instanceof ServiceError) return ofService(error);
  return new PartError('internal', undefined, { cause: error });
}

/** A full store, or a full scratch folder of the engine. */
function isFull(error: unknown): boolean {
  if (error instanceof StoreFullError) return true;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    code === 'ENOSPC' || code === 'EDQUOT' || (typeof message === 'string' && /No space left on device|Disk quota exceeded/.test(message))
  );
}

function ofService(error: ServiceError): PartError {
  const { reason } = error;
  if (reason === 'archive_corrupt') return new PartError('source_damaged', error.message, { cause: error });
  if (reason === 'beyond_retention') return new PartError('source_gone', error.message, { cause: error });
  const passes = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'CANCELLED'].includes(error.code);
  return new PartError(passes ? 'storage_unreachable' : 'internal', undefined, { cause: error });
}

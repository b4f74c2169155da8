import { errorFromWire, errorToWire, GRPC_CODES, type ServiceError, toServiceError } from '@market-state/errors';

/** The error of one part of an answer, told as a failed call tells it: status code, sentence, trailing metadata. */
export interface PartialFailure {
  code: number;
  sentence: string;
  metadata: Record<string, string>;
}

export function toPartialFailure(error: unknown): PartialFailure {
  const known = toServiceError(error);
  return { code: GRPC_CODES[known.code], sentence: known.message, metadata: errorToWire(known) };
}

export function fromPartialFailure({ code, sentence, metadata }: PartialFailure): ServiceError {
  return errorFromWire({ code, details: sentence, metadata: (key) => metadata[key] });
}

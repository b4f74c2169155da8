import { errorFromWire, errorToWire, GRPC_CODES, type ServiceError, toServiceError } from '@market-state/errors';

/** The error of one part of an answer, in the form of a failed call: status code, sentence, trailing metadata. */
export interface PartialFailure {
  code: number;
  sentence: string;
  metadata: Record<string, string>;
}

/** The failure of one part of an answer, to send; an unknown error becomes INTERNAL with the general sentence. */
export function toPartialFailure(error: unknown): PartialFailure {
  const known = toServiceError(error);
  return { code: GRPC_CODES[known.code], sentence: known.message, metadata: errorToWire(known) };
}

/** The ServiceError of a part that failed, as its service threw it. */
export function fromPartialFailure({ code, sentence, metadata }: PartialFailure): ServiceError {
  return errorFromWire({ code, details: sentence, metadata: (key) => metadata[key] });
}

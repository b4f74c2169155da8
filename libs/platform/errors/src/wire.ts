import { type ErrorReason, isErrorReason } from './reasons';
import { type Fault, type GrpcCodeName, grpcCodeName, ServiceError } from './service-error';

/** Values are printable ASCII. */
const ERROR_REASON_KEY = 'x-error-reason';
const ERROR_FAULTS_KEY = 'x-error-faults';
const ERROR_METADATA_KEY = 'x-error-metadata';

/** Call metadata is limited. */
const FAULTS_LENGTH_MAX = 5_000;
/** Both may contain caller input; one fault always fits. */
const FIELD_LENGTH_MAX = 200;
const MESSAGE_LENGTH_MAX = 500;

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** At least the first fault. */
function boundedFaults(faults: readonly Fault[]): string {
  const kept: string[] = [];
  let length = 1;
  for (const { field, message, type } of faults) {
    const text = asciiJson({ field: cut(field, FIELD_LENGTH_MAX), message: cut(message, MESSAGE_LENGTH_MAX), type });
    length += text.length + 1;
    if (kept.length > 0 && length > FAULTS_LENGTH_MAX) break;
    kept.push(text);
  }
  return `[${kept.join(',')}]`;
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
}

/** Omits detail and cause. */
export function errorToWire(error: ServiceError): Record<string, string> {
  const wire: Record<string, string> = { [ERROR_REASON_KEY]: error.reason };
  if (error.faults.length > 0) wire[ERROR_FAULTS_KEY] = boundedFaults(error.faults);
  if (Object.keys(error.metadata).length > 0) wire[ERROR_METADATA_KEY] = asciiJson(error.metadata);
  return wire;
}

function parseFaults(text: string | undefined): Fault[] {
  const value: unknown = parseJson(text);
  return Array.isArray(value) ? value.filter(isFault) : [];
}

function isFault(value: unknown): value is Fault {
  const fault = value as Partial<Fault> | null;
  return (
    typeof fault === 'object' &&
    fault !== null &&
    typeof fault.field === 'string' &&
    typeof fault.message === 'string' &&
    typeof fault.type === 'string'
  );
}

function parseMetadata(text: string | undefined): Record<string, string> {
  const value: unknown = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface WireError {
  readonly code: number;
  readonly details: string;
  readonly metadata: (key: string) => string | undefined;
  readonly cause?: unknown;
}

interface Fallback {
  readonly code: GrpcCodeName;
  readonly reason: ErrorReason;
  readonly sentence: string;
}

/** For errors of the transport or a library. */
function fallbackOf(code: GrpcCodeName): Fallback {
  switch (code) {
    case 'UNAVAILABLE':
      return { code, reason: 'upstream_unavailable', sentence: 'A service needed for this answer is unreachable.' };
    case 'DEADLINE_EXCEEDED':
      return { code, reason: 'upstream_deadline', sentence: 'A service needed for this answer did not answer in time.' };
    case 'CANCELLED':
      return { code, reason: 'cancelled', sentence: 'The call was cancelled.' };
    case 'RESOURCE_EXHAUSTED':
      return { code, reason: 'message_too_large', sentence: 'A message was larger than the limit.' };
    case 'UNIMPLEMENTED':
      return { code, reason: 'unimplemented', sentence: 'The service does not know this method.' };
    default:
      return { code: 'INTERNAL', reason: 'internal', sentence: 'An internal error occurred.' };
  }
}

/** False for errors of the transport or a library. */
export function isPhrasedByService({ metadata }: Pick<WireError, 'metadata'>): boolean {
  const reason = metadata(ERROR_REASON_KEY);
  return reason !== undefined && isErrorReason(reason);
}

/** A transport failure becomes a generic error. */
export function errorFromWire(wire: WireError): ServiceError {
  const reason = wire.metadata(ERROR_REASON_KEY);
  if (reason === undefined || !isErrorReason(reason)) {
    return new ServiceError({ ...fallbackOf(grpcCodeName(wire.code)), detail: wire.details, cause: wire.cause });
  }
  return new ServiceError({
    code: grpcCodeName(wire.code),
    reason,
    sentence: wire.details,
    cause: wire.cause,
    faults: parseFaults(wire.metadata(ERROR_FAULTS_KEY)),
    metadata: parseMetadata(wire.metadata(ERROR_METADATA_KEY)),
  });
}

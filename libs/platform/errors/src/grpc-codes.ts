/** The gRPC status codes by name. The numbers are those of the gRPC specification. */
export const GRPC_CODES = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Name of a gRPC status code other than OK. */
export type GrpcCodeName = keyof typeof GRPC_CODES;

const NAMES = new Map<number, GrpcCodeName>(
  (Object.keys(GRPC_CODES) as GrpcCodeName[]).map((codeName) => [GRPC_CODES[codeName], codeName]),
);

/** The name of a status code number; `UNKNOWN` for a number outside the specification. */
export function grpcCodeName(code: number): GrpcCodeName {
  return NAMES.get(code) ?? 'UNKNOWN';
}

import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** The standard health protocol, `grpc.health.v1`, by hand: three fields need no generator. */
const HEALTH_STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

export interface HealthCheckRequest {
  /** A service or dependency by name; empty means the process as a whole. */
  readonly service: string;
}

export interface HealthCheckResponse {
  readonly status: HealthStatus;
}

function decodeField<T>(bytes: Uint8Array, read: (reader: BinaryReader) => T, fallback: T): T {
  const reader = new BinaryReader(bytes);
  let value = fallback;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) value = read(reader);
    else reader.skip(wireType, field);
  }
  return value;
}

function encodeRequest(value: HealthCheckRequest): Buffer {
  const writer = new BinaryWriter();
  if (value.service !== '') writer.tag(1, 2).string(value.service);
  return Buffer.from(writer.finish());
}

function decodeRequest(bytes: Buffer): HealthCheckRequest {
  return { service: decodeField(bytes, (reader) => reader.string(), '') };
}

function encodeResponse(value: HealthCheckResponse): Buffer {
  const writer = new BinaryWriter();
  const index = HEALTH_STATUSES.indexOf(value.status);
  if (index !== 0) writer.tag(1, 0).int32(index);
  return Buffer.from(writer.finish());
}

function decodeResponse(bytes: Buffer): HealthCheckResponse {
  return { status: HEALTH_STATUSES[decodeField(bytes, (reader) => reader.int32(), 0)] ?? 'UNKNOWN' };
}

const messages = {
  requestStream: false,
  requestSerialize: encodeRequest,
  requestDeserialize: decodeRequest,
  responseSerialize: encodeResponse,
  responseDeserialize: decodeResponse,
} as const;

/** Definition for `createClient` and the server: `check` answers once, `watch` on every change. */
export const healthDefinition = {
  check: { ...messages, path: '/grpc.health.v1.Health/Check', responseStream: false },
  watch: { ...messages, path: '/grpc.health.v1.Health/Watch', responseStream: true },
} as const;

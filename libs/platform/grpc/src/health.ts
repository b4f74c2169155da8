import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { notFound } from '@market-state/errors';
import { bindService, type BoundService } from './service';

/** Hand-written: three fields need no generator. */
const HEALTH_STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
type HealthStatus = (typeof HEALTH_STATUSES)[number];

interface HealthCheckRequest {
  /** Empty: the whole process. */
  readonly service: string;
}

interface HealthCheckResponse {
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

/** `check` answers once, `watch` on every change. */
export const healthDefinition = {
  check: { ...messages, path: '/grpc.health.v1.Health/Check', responseStream: false },
  watch: { ...messages, path: '/grpc.health.v1.Health/Watch', responseStream: true },
} as const;

export const WHOLE_PROCESS = '';

/** Names may be added at any time. */
export interface Health {
  /** `''` is the process, other names are dependencies such as `postgres`. */
  set(service: string, serving: boolean): void;
  /** Undefined if never set. */
  get(service: string): boolean | undefined;
  /** Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

export function createHealth(dependencies: readonly string[] = []): Health {
  const states = new Map<string, boolean>(dependencies.map((dependency) => [dependency, false]));
  const listeners = new Set<() => void>();
  return {
    set(service, serving) {
      if (states.get(service) === serving) return;
      states.set(service, serving);
      for (const listener of [...listeners]) listener();
    },
    get: (service) => states.get(service),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** `services` are full names that share the state of the whole process. */
export function healthService(health: Health, services: readonly string[]): BoundService {
  function statusOf(service: string): HealthStatus {
    const state = health.get(service) ?? (services.includes(service) ? health.get(WHOLE_PROCESS) : undefined);
    if (state === undefined) return service === WHOLE_PROCESS ? 'NOT_SERVING' : 'SERVICE_UNKNOWN';
    return state ? 'SERVING' : 'NOT_SERVING';
  }

  return bindService(healthDefinition, {
    async check({ service }) {
      const status = statusOf(service);
      if (status === 'SERVICE_UNKNOWN') throw notFound('not_found', 'This server has no such service.');
      return { status };
    },
    async *watch({ service }, { signal }) {
      let sent: HealthStatus | undefined;
      while (!signal.aborted) {
        const changed = nextChange(health, signal);
        const status = statusOf(service);
        if (status !== sent) {
          sent = status;
          yield { status };
        }
        await changed;
      }
    },
  });
}

function nextChange(health: Health, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = health.onChange(() => finish());
    const finish = (): void => {
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    signal.addEventListener('abort', finish, { once: true });
  });
}

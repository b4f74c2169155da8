import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { notFound } from '@market-state/errors';
import type { Closable } from '@market-state/lifecycle';
import { bindService, type BoundService } from './service';
import { createClient } from './client';
import { eachProcess, type ProcessInHand, type ProcessAddresses } from './each-process';
import { followStream } from './follow-stream';
import type { RpcPeer } from './identity/identity';

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

const FOLLOW_AGAIN_MS_MAX = 500;

interface FollowHealthOptions extends ProcessAddresses {
  readonly peer: RpcPeer;
}

export interface FollowedHealth extends Closable {
  /** Calls each process, since a hung one sends nothing. Rejects if one is not serving, or none is known. */
  check(deadlineMs: number): Promise<void>;
  /** One is enough; others are standbys. */
  checkAny(deadlineMs: number): Promise<void>;
  /** Also when a process appears or leaves. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

interface Watched extends ProcessInHand {
  check(deadlineMs: number): Promise<void>;
}

export function followHealth({ peer, ...places }: FollowHealthOptions): FollowedHealth {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const processes = eachProcess<Watched>({
    ...places,
    begin(from) {
      const client = createClient({ definition: healthDefinition, address: from, peer });
      const stream = followStream({
        open: (signal) => client.call.watch({ service: WHOLE_PROCESS }, { signal }),
        onMessage: changed,
        onDown: changed,
        maxDelayMs: FOLLOW_AGAIN_MS_MAX,
      });
      return {
        isUp: stream.isUp,
        async check(deadlineMs) {
          const { status } = await client.call.check({ service: WHOLE_PROCESS }, { deadlineMs });
          if (status !== 'SERVING') throw new Error(`${from} reports ${status}`);
        },
        async close() {
          await stream.close();
          await client.close();
        },
      };
    },
    onGone: changed,
  });
  return {
    async check(deadlineMs) {
      const all = processes.all();
      if (all.length === 0) throw new Error('no process is known');
      await Promise.all(all.map((process) => process.check(deadlineMs)));
    },
    async checkAny(deadlineMs) {
      await Promise.any(processes.all().map((process) => process.check(deadlineMs)));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => processes.close(),
  };
}

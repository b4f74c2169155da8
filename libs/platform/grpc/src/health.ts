import { notFound } from '@market-state/errors';
import type { HealthStatus } from './health-definition';
import { healthDefinition } from './health-definition';
import { bindService, type BoundService } from './service';

/** Name of the process as a whole. */
export const WHOLE_PROCESS = '';

/** What a process reports about itself and each thing it depends on. Names may be added at any time. */
export interface Health {
  /** Sets a name's state: `''` is the whole process, others are dependencies such as `postgres`. */
  set(service: string, serving: boolean): void;
  /** Undefined for a name never set. */
  get(service: string): boolean | undefined;
  /** Calls back after each change. Returns a function that stops it. */
  onChange(listener: () => void): () => void;
}

/** Health with the given dependency names, all not serving at first. */
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

/** The `grpc.health.v1` service over a Health. `services` are full names that follow the whole process. */
export function healthService(health: Health, services: readonly string[]): BoundService {
  function statusOf(service: string): HealthStatus {
    const state = health.get(service) ?? (services.includes(service) ? health.get(WHOLE_PROCESS) : undefined);
    if (state === undefined) return service === WHOLE_PROCESS ? 'NOT_SERVING' : 'SERVICE_UNKNOWN';
    return state ? 'SERVING' : 'NOT_SERVING';
  }

  return bindService(healthDefinition, {
    async check({ service }) {
      const status = statusOf(service);
      if (status === 'SERVICE_UNKNOWN') throw notFound('not_found', 'This server knows no such service.');
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

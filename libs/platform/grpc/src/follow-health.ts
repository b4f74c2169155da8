import type { Closable } from '@market-state/lifecycle';
import { createClient } from './client';
import { eachProcess, type ProcessInHand, type ProcessPlaces } from './each-process';
import { followStream } from './follow-stream';
import { WHOLE_PROCESS, healthDefinition } from './health';
import type { RpcPeer } from './identity/identity';

/** The first delay before a process is asked again whose health cannot be followed doubles up to so much, milliseconds. */
const FOLLOW_AGAIN_MS_MAX = 500;

export interface FollowHealthOptions extends ProcessPlaces {
  readonly peer: RpcPeer;
}

/** How the processes of a service are. */
export interface FollowedHealth extends Closable {
  /** Asks each, since one that hangs tells nothing. Rejects where one does not serve or answer in time, or none is known. */
  check(deadlineMs: number): Promise<void>;
  /** The same where one is enough: the others stand by. Rejects where none serves. */
  checkAny(deadlineMs: number): Promise<void>;
  /** Calls back whenever one of them says that it changes, comes or goes. Returns a function that stops it. */
  onChange(listener: () => void): () => void;
}

interface Watched extends ProcessInHand {
  check(deadlineMs: number): Promise<void>;
}

/** Follows the health of every process of a service until closed. */
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
          if (status !== 'SERVING') throw new Error(`${from} says ${status}`);
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

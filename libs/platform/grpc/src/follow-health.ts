import type { Closable } from '@market-state/lifecycle';
import { createClient } from './client';
import { eachProcess, type ProcessInHand, type ProcessAddresses } from './each-process';
import { followStream } from './follow-stream';
import { WHOLE_PROCESS, healthDefinition } from './health';
import type { RpcPeer } from './identity/identity';

const FOLLOW_AGAIN_MS_MAX = 500;

export interface FollowHealthOptions extends ProcessAddresses {
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

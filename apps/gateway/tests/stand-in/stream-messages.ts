import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { StreamMessage } from './event-stream';

/** Memory after garbage collection, once it no longer falls. */
export async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let [before, held] = [Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER];
  while (held < before - 262_144) {
    before = held;
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    held = arrayBuffers + heapUsed;
  }
  return held;
}

/** Deterministic random numbers in [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export function content(messages: readonly StreamMessage[]): StreamMessage[] {
  return messages.filter(({ event }) => event === 'row' || event === 'gap');
}

/** `id:`, `event:` and `data:` of each row and gap as sent. */
export function rawContent(text: string): string[] {
  return text.split('\n\n').filter((message) => /^id: .*\nevent: (row|gap)\n/.test(message));
}

export function ends(messages: readonly StreamMessage[]): unknown[] {
  return messages.filter(({ event }) => event === 'end').map(({ data }) => JSON.parse(data) as unknown);
}

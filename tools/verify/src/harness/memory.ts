import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** MiB of heap and buffers still in use after garbage collection. */
export function heldMib(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return Math.round((heapUsed + arrayBuffers) / 1_048_576);
}

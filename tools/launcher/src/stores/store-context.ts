import { join } from 'node:path';
import type { Registry } from '../process/registry';
import { openProcessLog } from '../process/process-log';
import { supervise } from '../process/supervise';
import type { ProcessSpec, SupervisedProcess } from '../process/supervise';

export interface StoreContext {
  dataDir: string;
  /** Data is discarded afterwards, so fsync is skipped. */
  ephemeral: boolean;
  registry: Registry;
  say: (line: string) => void;
}

export interface RunningStore {
  port: number;
  process: SupervisedProcess;
}

export interface StartLines {
  readonly ready: RegExp;
  /** Matches a transient start failure, which is retried for up to 20 s. */
  readonly passing?: RegExp;
}

const passingMsMax = 20_000;

/**
 * Restarts the store on the same port after later crashes.
 * @throws Error with its last lines if it exits before it is ready
 */
export async function superviseStore(
  context: StoreContext,
  spec: ProcessSpec,
  port: number,
  { ready, passing }: StartLines,
): Promise<SupervisedProcess> {
  const endsAt = performance.now() + passingMsMax;
  const log = openProcessLog(join(context.dataDir, 'logs', `${spec.name}.log`));
  let supervised: SupervisedProcess | undefined;
  let isReady = false;
  await new Promise<void>((resolve, reject) => {
    supervised = supervise(spec, log, (event) => {
      if (event.kind === 'started') context.registry.put(spec.name, event.pid, { ports: { [spec.name]: port } });
      if (event.kind === 'stopped') context.registry.remove(spec.name);
      if (event.kind === 'output' && !isReady && ready.test(event.line)) {
        isReady = true;
        resolve();
      }
      if (event.kind === 'crashed') {
        const isPassing = performance.now() < endsAt && event.lastLines.some((line) => passing?.test(line));
        if (isReady) context.say(`${spec.name} exited (${event.cause}); restarting in ${event.restartInMs} ms.`);
        else if (!isPassing) reject(new Error(`${spec.name} did not start (${event.cause}):\n${event.lastLines.join('\n')}`));
      }
    });
  }).catch(async (error: unknown) => {
    await supervised?.stop();
    throw error;
  });
  if (supervised === undefined) throw new Error(`${spec.name} was not started.`);
  return supervised;
}

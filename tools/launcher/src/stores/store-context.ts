import { join } from 'node:path';
import type { Registry } from '../process/registry';
import { openProcessLog } from '../process/process-log';
import { supervise } from '../process/supervise';
import type { ProcessSpec, SupervisedProcess } from '../process/supervise';

/** What starting a store needs. */
export interface StoreContext {
  /** Everything the store keeps lies under this folder. */
  dataDir: string;
  /** Data that is thrown away afterwards: nothing waits for the disk. */
  ephemeral: boolean;
  registry: Registry;
  /** Takes one line for a person to read. */
  say: (line: string) => void;
}

/** A store that runs. */
export interface RunningStore {
  port: number;
  process: SupervisedProcess;
}

/** What a store's lines say of its start. */
export interface StartLines {
  /** It is ready. */
  readonly ready: RegExp;
  /** It could not start for a reason that passes by itself: it is tried again, for at most 20 s. */
  readonly passing?: RegExp;
}

const passingMsMax = 20_000;

/**
 * Starts a store and resolves once it writes a line that `ready` matches. It is started again, on the same port, whenever
 * it crashes later.
 * @throws Error with its last lines when it ends before it is ready
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
        if (isReady) context.say(`${spec.name} ended (${event.cause}); it starts again in ${event.restartInMs} ms.`);
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

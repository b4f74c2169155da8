import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { invalidArgument, type ServiceError } from '@market-state/errors';
import { parseOptions } from '@node-rs/argon2';
import type { PasswordCaller, PasswordWork } from './password-work';

/** Argon2id (the package's default) with 16-byte salts. Memory is in KiB. */
const HASH_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

/**
 * Inline, so that the bundle stays one file. Linux priorities are per thread: at nice 10, hashing gets a tenth of a
 * contended core.
 */
const PROGRAM = `
const { constants, getPriority, setPriority } = require('node:os');
const { parentPort, workerData } = require('node:worker_threads');
const { hashSync, verifySync } = require(workerData.module);
if (process.platform === 'linux') setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL));
parentPort.on('message', ({ password, stored }) =>
  parentPort.postMessage(stored === undefined ? hashSync(password, workerData.parameters) : verifySync(stored, password)));
`;

/** Hashes passwords on low-priority threads, one per concurrent call; callers limit the concurrency. */
interface HashThreads {
  hash(password: string): Promise<string>;
  /** @throws Error if `stored` is not a hash */
  verify(stored: string, password: string): Promise<boolean>;
  close(): Promise<void>;
}

export function createHashThreads(): HashThreads {
  const threads = new Set<Worker>();
  const idle: Worker[] = [];

  function start(): Worker {
    const workerData = { module: createRequire(import.meta.filename).resolve('@node-rs/argon2'), parameters: HASH_PARAMETERS };
    const thread = new Worker(PROGRAM, { eval: true, workerData, name: 'passwords' });
    threads.add(thread);
    return thread;
  }

  async function run(work: { readonly password: string; readonly stored?: string }): Promise<unknown> {
    const thread = idle.pop() ?? start();
    try {
      thread.postMessage(work);
      const [result] = await once(thread, 'message');
      idle.push(thread);
      return result;
    } catch (error) {
      threads.delete(thread);
      throw error;
    }
  }

  return {
    hash: async (password) => String(await run({ password })),
    verify: async (stored, password) => (await run({ password, stored })) === true,
    async close() {
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

const SALT_SIZE_BYTES = 16;

export interface Passwords {
  hash(password: string, caller: PasswordCaller): Promise<string>;
  /** Without a hash, returns false after the same time. */
  verify(password: string, hash: string | null, caller: PasswordCaller): Promise<boolean>;
}

interface PasswordsDeps {
  readonly threads: HashThreads;
  readonly work: PasswordWork;
  /** Hash of a random password, verified against when an account has none, to keep the timing equal. */
  readonly otherHash: string;
  readonly onHash: () => void;
}

export function createPasswords({ threads, work, otherHash, onHash }: PasswordsDeps): Passwords {
  return {
    hash: (password, caller) =>
      work.run(caller, () => {
        onHash();
        return threads.hash(password);
      }),
    verify: (password, stored, caller) =>
      work.run(caller, async () => {
        onHash();
        const isRight = await threads.verify(stored ?? otherHash, password);
        return isRight && stored !== null;
      }),
  };
}

export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism, outputLen, saltLen, algorithm, version } = parseOptions(stored);
  return (
    algorithm.valueOf() !== 2 ||
    version.valueOf() !== 1 ||
    memoryCost < HASH_PARAMETERS.memoryCost ||
    timeCost < HASH_PARAMETERS.timeCost ||
    parallelism < HASH_PARAMETERS.parallelism ||
    outputLen < HASH_PARAMETERS.outputLen ||
    saltLen < SALT_SIZE_BYTES
  );
}

export function wrongPassword(): ServiceError {
  return invalidArgument([{ field: 'current_password', message: 'is not the password of this account', type: 'wrong_password' }]);
}

import { parseOptions } from '@node-rs/argon2';
import { type HashThreads, HASH_PARAMETERS } from './hash-threads';
import type { PasswordCaller, PasswordWork } from './password-work';

const SALT_SIZE_BYTES = 16;

/** Passwords as bytes exactly as they were sent, hashed one way. */
export interface Passwords {
  hash(password: string, caller: PasswordCaller): Promise<string>;
  /** Whether a password is the one of a hash. Without a hash it takes the same time and is none. */
  verify(password: string, hash: string | null, caller: PasswordCaller): Promise<boolean>;
}

export interface PasswordsDeps {
  readonly threads: HashThreads;
  readonly work: PasswordWork;
  /** Hash of a password that nobody has: what is worked on in place of a hash that is not there. */
  readonly nobodysHash: string;
  /** Told of each password that is worked on. */
  readonly onHash: () => void;
}

export function createPasswords({ threads, work, nobodysHash, onHash }: PasswordsDeps): Passwords {
  return {
    hash: (password, caller) =>
      work.run(caller, () => {
        onHash();
        return threads.hash(password);
      }),
    verify: (password, stored, caller) =>
      work.run(caller, async () => {
        onHash();
        const isRight = await threads.verify(stored ?? nobodysHash, password);
        return isRight && stored !== null;
      }),
  };
}

/** Whether a stored hash was made with less than what is asked for now. */
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

import { hash, parseOptions, verify } from '@node-rs/argon2';
import type { PasswordCaller, PasswordWork } from './password-work';

/** Argon2id, which is the package's default algorithm; its salts have 16 bytes. Memory is in KiB. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const SALT_SIZE_BYTES = 16;

/** Passwords as bytes exactly as they were sent, hashed one way. */
export interface Passwords {
  hash(password: string, caller: PasswordCaller): Promise<string>;
  /** Whether a password is the one of a hash. Without a hash it takes the same time and is none. */
  verify(password: string, hash: string | null, caller: PasswordCaller): Promise<boolean>;
}

export interface PasswordsDeps {
  readonly work: PasswordWork;
  /** Hash of a password that nobody has: what is worked on in place of a hash that is not there. */
  readonly nobodysHash: string;
  /** Told of each password that is worked on. */
  readonly onHash: () => void;
}

export function createPasswords({ work, nobodysHash, onHash }: PasswordsDeps): Passwords {
  return {
    hash: (password, caller) =>
      work.run(caller, () => {
        onHash();
        return hashPassword(password);
      }),
    verify: (password, stored, caller) =>
      work.run(caller, async () => {
        onHash();
        const isRight = await verify(stored ?? nobodysHash, Buffer.from(password, 'utf8'));
        return isRight && stored !== null;
      }),
  };
}

/** The hash in PHC string format, with a fresh salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(Buffer.from(password, 'utf8'), PARAMETERS);
}

/** Whether a stored hash was made with less than what is asked for now. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism, outputLen, saltLen, algorithm, version } = parseOptions(stored);
  return (
    algorithm.valueOf() !== 2 ||
    version.valueOf() !== 1 ||
    memoryCost < PARAMETERS.memoryCost ||
    timeCost < PARAMETERS.timeCost ||
    parallelism < PARAMETERS.parallelism ||
    outputLen < PARAMETERS.outputLen ||
    saltLen < SALT_SIZE_BYTES
  );
}

/** A store cannot do what it was asked to. Nothing is said about any object. */
export abstract class StoreError extends Error {}

/** The store does not answer in time, breaks off, or says that it cannot work now. The same may succeed later. */
export class StoreUnreachableError extends StoreError {
  override readonly name = 'StoreUnreachableError';
}

/** The store, or the disk of a local copy, has no room. */
export class StoreFullError extends StoreError {
  override readonly name = 'StoreFullError';
}

/** The store refuses: wrong credentials, no right to do this, no such bucket. It takes another setting to succeed. */
export class StoreRefusedError extends StoreError {
  override readonly name = 'StoreRefusedError';
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** An error of the file system as one of its store; any other as it is. */
export function fromFileError(error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof code !== 'string' || typeof syscall !== 'string') return error;
  if (FULL.has(code)) return new StoreFullError(message, { cause: error });
  return new StoreUnreachableError(message, { cause: error });
}

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
/** DuckDB's words for what the system refused; what it says of a file's content reads otherwise. */
const ENGINE_FULL = /^IO Error: .*(No space left on device|Disk quota exceeded)/;
const ENGINE_REFUSED = /^IO Error: (Cannot open|Could not read from|Could not write)/;

/** An error of the file system as one of its store; any other, and that there is no such file, as it is. */
export function fromFileError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof syscall !== 'string' || code === 'ENOENT') return error;
  if (FULL.has(code)) return new StoreFullError(message, { cause: error });
  return new StoreUnreachableError(message, { cause: error });
}

/** An error of DuckDB that says that the disk is full or refuses as one of its store; any other as it is. */
export function fromEngineError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (ENGINE_FULL.test(error.message)) return new StoreFullError(error.message, { cause: error });
  if (ENGINE_REFUSED.test(error.message)) return new StoreUnreachableError(error.message, { cause: error });
  return error;
}

/** Store failure that implies nothing about an object. */
export abstract class StoreError extends Error {}

/** No response, a broken connection, or temporarily unavailable. Retryable. */
export class StoreUnreachableError extends StoreError {
  override readonly name = 'StoreUnreachableError';
}

export class StoreFullError extends StoreError {
  override readonly name = 'StoreFullError';
}

/** Wrong credentials, missing permission or no such bucket. Needs a configuration change. */
export class StoreRefusedError extends StoreError {
  override readonly name = 'StoreRefusedError';
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** DuckDB's messages for system errors, as opposed to invalid file contents. */
const ENGINE_FULL = /^IO Error: .*(No space left on device|Disk quota exceeded)/;
const ENGINE_REFUSED = /^IO Error: (Cannot open|Could not read from|Could not write)/;

/** Returns other errors, including missing files, unchanged. */
export function fromFileError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof syscall !== 'string' || code === 'ENOENT') return error;
  if (FULL.has(code)) return new StoreFullError(message, { cause: error });
  return new StoreUnreachableError(message, { cause: error });
}

export function fromEngineError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (ENGINE_FULL.test(error.message)) return new StoreFullError(error.message, { cause: error });
  if (ENGINE_REFUSED.test(error.message)) return new StoreUnreachableError(error.message, { cause: error });
  return error;
}

/** What is known of an object without reading it. */
export interface ObjectStat {
  readonly sizeBytes: number;
  /** When it was put, milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** No object stands under that key. */
export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';

  constructor(readonly key: string) {
    super(`no object under ${key}`);
  }
}

/**
 * Files under keys (see `checkKey`). Whoever reads a key finds a whole object or none, at any moment and after a power cut.
 * Every method rejects with ObjectKeyError for what is no key.
 */
export interface ObjectStore {
  /**
   * Makes a file the object under `key`, in place of any that was there, and durable before it resolves. The file must lie in a folder of
   * `scratch` and is gone afterwards.
   */
  put(key: string, file: string): Promise<void>;
  /**
   * A local file with the object's content, to be read only. It stays readable while it is open.
   * @throws {ObjectNotFoundError}
   */
  get(key: string): Promise<string>;
  /** Undefined when there is no such object. */
  stat(key: string): Promise<ObjectStat | undefined>;
  /** Keys that begin with `prefix`, which ends at a slash or is empty; sorted. */
  list(prefix: string): Promise<string[]>;
  /** Nothing happens when there is no such object. */
  delete(key: string): Promise<void>;
  /** A new empty folder for files in the making, which nobody else uses. Whoever asked for it removes it. */
  scratch(): Promise<string>;
  /** Removes scratch folders that nobody has written to for so long, milliseconds: those of processes that were killed. */
  sweepScratch(olderThanMs: number): Promise<void>;
}

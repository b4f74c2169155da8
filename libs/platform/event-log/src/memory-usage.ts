/** What the store reports of its memory, bytes. */
export interface MemoryUsage {
  readonly usedBytes: number;
  /** The store's own limit; 0 means none. */
  readonly limitBytes: number;
}

/** Reads Redis `INFO memory`. */
export function parseMemoryUsage(info: string): MemoryUsage {
  const field = (key: string): number => Number(new RegExp(`^${key}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { usedBytes: field('used_memory'), limitBytes: field('maxmemory') };
}

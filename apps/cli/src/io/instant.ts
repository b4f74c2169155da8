/** An instant as a person reads it: UTC, to the second where it is whole. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

/** A count with thousands set apart. */
export function count(total: number): string {
  return total.toLocaleString('en-US');
}

/** `1 packet`, `2 packets`. */
export function counted(total: number, noun: string, plural = `${noun}s`): string {
  return `${count(total)} ${total === 1 ? noun : plural}`;
}

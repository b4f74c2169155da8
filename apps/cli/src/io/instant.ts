/** An instant as a person reads it: UTC, to the second where it is whole. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

/** The second that an instant lies in: UTC. */
export function second(epochMs: number): string {
  return instant(Math.floor(epochMs / 1_000) * 1_000);
}

/** A count with thousands set apart. */
export function count(total: number): string {
  return total.toLocaleString('en-US');
}

/** `1 packet`, `2 packets`. */
export function counted(total: number, noun: string, plural = `${noun}s`): string {
  return `${count(total)} ${total === 1 ? noun : plural}`;
}

/** UTC, without milliseconds if they are zero. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

/** UTC, rounded down to the second. */
export function second(epochMs: number): string {
  return instant(Math.floor(epochMs / 1_000) * 1_000);
}

export function count(total: number): string {
  return total.toLocaleString('en-US');
}

/** `1 packet`, `2 packets`. */
export function counted(total: number, noun: string, plural = `${noun}s`): string {
  return `${count(total)} ${total === 1 ? noun : plural}`;
}

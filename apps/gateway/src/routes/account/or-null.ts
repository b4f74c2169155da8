/** Null for a text that is empty: on the wire between services absent texts are. */
export function orNull(text: string): string | null {
  return text === '' ? null : text;
}

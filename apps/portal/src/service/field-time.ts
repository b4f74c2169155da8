/** An instant as a `datetime-local` field shows it, to the second. The field has no time zone of its own: what stands in it is UTC. */
export function fieldTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}

/** The instant of a `datetime-local` field in UTC, milliseconds since the epoch; NaN where it has none. */
export function utcOf(field: FormDataEntryValue | null): number {
  return Date.parse(`${String(field)}Z`);
}

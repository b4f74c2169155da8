/** How many of so many answers were something else than 200, by status, as text; undefined where none was. */
export function refusedOf(statuses: readonly number[]): string | undefined {
  const totals = new Map<number, number>();
  for (const status of statuses) if (status !== 200) totals.set(status, (totals.get(status) ?? 0) + 1);
  if (totals.size === 0) return undefined;
  return `of ${statuses.length} answers ${[...totals].map(([status, total]) => `${total} were ${status}`).join(', ')}`;
}

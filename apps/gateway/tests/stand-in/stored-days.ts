import type { marketData } from '@market-state/contracts';

/** Two days of a channel; the first has ended. */
export function daysOf(channel: string): marketData.CatalogDay[] {
  const dayMs = Date.UTC(2025, 11, 31);
  if (channel === 'control') return [];
  return [
    { dayMs, condition: 'degraded' },
    { dayMs: dayMs + 86_400_000, condition: 'pending' },
  ];
}

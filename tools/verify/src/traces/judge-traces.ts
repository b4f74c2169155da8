import type { ReceivedSpan } from '@market-state/otlp-receiver';

const SERVER = 2;
const CLIENT = 3;

/** What is wrong with traces that were chosen by their head: each must be whole, with its first span at the gateway. */
export function chosenFaults(spans: readonly ReceivedSpan[], traceIds: Iterable<string>): string[] {
  return [...traceIds].flatMap((traceId) => {
    const own = spans.filter((span) => span.traceId === traceId);
    const ids = new Set(own.map(({ spanId }) => spanId));
    const orphans = own.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
    const unserved = own.filter(
      ({ kind, spanId }) => kind === CLIENT && !own.some((span) => span.kind === SERVER && span.parentSpanId === spanId),
    );
    const first = own.filter(({ parentSpanId }) => parentSpanId === undefined);
    return [
      ...orphans.map(({ name }) => `${traceId}: the parent of ${name} is missing.`),
      ...unserved.map(({ name }) => `${traceId}: nobody served ${name}.`),
      ...(first.length === 1 && first[0]?.service === 'gateway' ? [] : [`${traceId} has ${first.length} first spans.`]),
    ];
  });
}

/** Four standard deviations: as far as chance takes the number of chosen traces from its mean. */
export function isByChance(chosen: number, total: number, share: number): boolean {
  return Math.abs(chosen - total * share) <= 4 * Math.sqrt(total * share * (1 - share));
}

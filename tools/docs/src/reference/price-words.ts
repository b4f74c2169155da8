import { priceOf, type WorkloadFamily } from '@market-state/pricing';
import type { Operation } from './document';

type Price = NonNullable<Operation['x-price']>;

/** What an operation costs, in words: the base, and what is counted beside it. */
export function priceWords({ family, counted }: Price): string {
  const { credit, base, unit, unitSize } = priceOf(family as WorkloadFamily);
  const kind = credit === 'export' ? ' export' : '';
  const credits = (count: number) => `${count}${kind} ${count === 1 ? 'credit' : 'credits'}`;
  switch (counted.by) {
    case 'nothing':
      return 'nothing, with a receipt';
    case 'messages':
      return '1 credit for every 100 messages begun';
    case 'symbols':
      return base === 0 ? '1 credit a symbol' : `${credits(base)} and 1 a symbol`;
    case 'call':
      return credits(base);
    default: {
      const each = unitSize === 1 ? `1 a row` : `1 for every ${unitSize.toLocaleString('en')} rows`;
      if (unit === null) return credits(base);
      return base === 0 ? each.replace('1 ', '1 credit ') : `${credits(base)} and ${each}`;
    }
  }
}

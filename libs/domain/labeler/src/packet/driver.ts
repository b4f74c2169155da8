import { COMPOSITES, type CompositeName, type MarketRead } from '../read';

/** The composite with the highest norm (the earlier one on a tie); `none` when every norm is 0 or has no source. */
export function driverOf(read: MarketRead): { readonly name: CompositeName | 'none'; readonly norm: number } {
  let best: { readonly name: CompositeName | 'none'; readonly norm: number } = { name: 'none', norm: 0 };
  for (const name of COMPOSITES) {
    const { available, norm } = read.composites[name];
    if (available && norm > best.norm) best = { name, norm };
  }
  return best;
}

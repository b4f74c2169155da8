import { counted } from '@market-state/packet-figures';
import sheet from '../theme/sheet.module.css';

interface OpeningCostProps {
  readonly credits: number;
  /** For example `per symbol`. */
  readonly each?: string;
  /** The page keeps reading while it is open; the status bar shows that cost. */
  readonly isFollowed?: boolean;
}

/** Maximum cost of the calls that open a page. Part of the page's first render, which comes before those calls. */
export function OpeningCost({ credits, each, isFollowed = false }: OpeningCostProps) {
  const cost = credits === 0 ? 'is free' : `costs at most ${counted(credits, 'credit')}`;
  return (
    <span className={sheet['soft']}>
      Opening this page {[cost, each].filter(Boolean).join(' ')}
      {isFollowed ? ', then the hourly cost in the status bar' : ''}.
    </span>
  );
}

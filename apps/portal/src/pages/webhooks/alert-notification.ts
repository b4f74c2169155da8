import { words } from '@market-state/packet-figures';
import { clock } from '../../time/clock';
import { marketNamed, marketWords } from '../../packets/market-name';

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly path: string;
}

/** @param data of a message `alert.triggered` */
export function notificationOf(data: Readonly<Record<string, unknown>>): Shown {
  const text = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  const { symbol: market } = marketNamed({ symbol: text('symbol'), venue: text('venue') || undefined });
  const window = text('window_end_utc');
  const notes = [data['synthetic'] === true ? 'simulated market' : '', data['late'] === true ? 'late, after an outage' : ''];
  return {
    title: `${text('watchlist_name') || 'Alert'}: ${marketWords(market)} ${words(text('phase'))}`,
    body: [`Window until ${clock(Date.parse(window))}`, ...notes.filter((note) => note !== '')].join(', '),
    tag: text('episode_id'),
    path: `/replay?${new URLSearchParams({ symbol: market, at: window }).toString()}`,
  };
}

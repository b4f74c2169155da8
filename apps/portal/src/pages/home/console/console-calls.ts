import type { Answer, MarketState, OperationId } from '@market-state/client';

/** A call that can be tried on the page. */
export interface ConsoleCall {
  readonly id: string;
  readonly title: string;
  /** Method and address, as a program would ask. */
  readonly line: string;
  /** Most credits that it costs; null where only the service knows. */
  readonly creditsAtMost: number | null;
  readonly send: () => Promise<Answer<OperationId, unknown>>;
}

const API = '/api/public/';
const ROWS = 5;

/** Calls of a key for one symbol: what it reads, what it costs, how it is asked. */
export function callsFor(client: MarketState, symbol: string): readonly ConsoleCall[] {
  const rows = { symbol, limit: ROWS };
  return [
    {
      id: 'latest',
      title: 'Newest packet, compact',
      line: `GET ${API}market-state/latest?symbol=${symbol}&view=compact`,
      creditsAtMost: client.creditsAtMost('getLatest', { symbol, view: 'compact' }),
      send: () => client.latest.get({ symbol, view: 'compact' }),
    },
    {
      id: 'history',
      title: 'States over 24 hours, the first 5',
      line: `GET ${API}market-state/history?symbol=${symbol}&limit=${ROWS}`,
      creditsAtMost: client.creditsAtMost('listHistory', rows),
      send: () => client.history.get(rows),
    },
    {
      id: 'trades',
      title: 'Newest 5 trades',
      line: `GET ${API}data/trades/latest?symbol=${symbol}&limit=${ROWS}`,
      creditsAtMost: client.creditsAtMost('listLatestTrades', rows),
      send: () => client.trades.latest(rows),
    },
    {
      id: 'gaps',
      title: 'Gap ledger',
      line: `GET ${API}data/gaps?symbol=${symbol}&limit=${ROWS}`,
      creditsAtMost: client.creditsAtMost('listGaps', rows),
      send: () => client.gaps.list(rows),
    },
    {
      id: 'freshness',
      title: 'Freshness of channels',
      line: `GET ${API}data/status/freshness?symbol=${symbol}`,
      creditsAtMost: client.creditsAtMost('getDataFreshness', { symbol }),
      send: () => client.data.freshness({ symbol }),
    },
  ];
}

import { counted } from '@market-state/packet-figures';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Empty, Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { urlList, urlText, urlWord, useUrlState } from '../../service/url-state';
import { StreamLight, type PacketStream, usePacketStream } from '../../packets/packet-stream';
import { StateLegend } from '../../charts/state-mark';
import { Announcer } from '../../packets/announcer';
import { OpeningCost } from '../../controls/opening-cost';
import { LiveTable } from './live-table';
import styles from './live.module.css';
import {
  type Order,
  ORDERS,
  orderRows,
  BOARD_SPAN_MS,
  type MarketTable,
  type CompactPacket,
  withPacket,
  withPast,
} from '../../packets/live-markets';
import { noteServiceClock } from '../../service/clock';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';

const NONE: readonly CompactPacket[] = [];
const HOUR_ROWS = 360;

/** Credit limit per symbol before the stream opens: the newest packet and the states of its last hour. */
const OPENING_CREDITS_PER_SYMBOL =
  (service.creditsAtMost('getLatest', { symbol: 'BTCUSD-PERP', view: 'compact' }) ?? 0) +
  (service.creditsAtMost('listHistory', { symbol: 'BTCUSD-PERP', limit: HOUR_ROWS }) ?? 0);

export interface LiveMarkets {
  readonly markets: MarketTable;
  readonly stream: PacketStream;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly retry: () => void;
}

/** `ALL` follows every symbol. */
function useLiveMarkets(symbol: string): LiveMarkets {
  const [markets, setMarkets] = useState<MarketTable>(() => new Map());
  const latest = useQuery({
    queryKey: ['latest', symbol, 'compact'],
    queryFn: ({ signal }) => read(service.latest.get({ symbol, view: 'compact' }, { signal })),
    staleTime: Infinity,
    gcTime: 0,
  });
  useEffect(() => {
    if (latest.data === undefined) return;
    noteServiceClock(Date.parse(latest.data.packet_freshness.window_end_utc ?? ''));
    const packets = latest.data.rows as readonly CompactPacket[];
    setMarkets((before) => packets.reduce((all, packet) => withPacket(all, packet), before));
  }, [latest.data]);

  const symbols = [...markets.keys()].sort();
  usePast((latest.data?.rows ?? NONE) as readonly CompactPacket[], setMarkets);
  const onPacket = useCallback(
    (packet: CompactPacket, receivedAtMs: number) => setMarkets((before) => withPacket(before, packet, receivedAtMs)),
    [],
  );
  const stream = usePacketStream(symbols, onPacket);
  return { markets, stream, error: latest.error, isLoading: latest.isPending, retry: () => void latest.refetch() };
}

function usePast(newest: readonly CompactPacket[], setMarkets: (change: (before: MarketTable) => MarketTable) => void): void {
  const past = useQueries({
    queries: newest.map(({ symbol, window_end_utc: endUtc }) => ({
      queryKey: ['history', symbol, endUtc],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const from = new Date(Date.parse(endUtc) - BOARD_SPAN_MS).toISOString();
        return { symbol, rows: await readPages(service.history.rows({ symbol, from, limit: HOUR_ROWS }, { signal }), ({ rows }) => rows) };
      },
      staleTime: Infinity,
      gcTime: 0,
    })),
    combine: (all) => all.map(({ data }) => data),
  });
  useEffect(() => {
    for (const data of past) if (data !== undefined) setMarkets((before) => withPast(before, data.symbol, data.rows));
  }, [past, setMarkets]);
}

const ORDER = urlWord(ORDERS, 'symbol');
const FILTER = urlText();

const ORDER_WORDS: Readonly<Record<Order, string>> = {
  symbol: 'symbol',
  age: 'state age',
  margin: 'margin',
  severity: 'severity',
  confidence: 'confidence',
};

export default function LivePage() {
  const { markets, stream, error, isLoading, retry } = useLiveMarkets('ALL');
  const [order, setOrder] = useUrlState('sort', ORDER);
  const [filter, setFilter] = useUrlState('filter', FILTER);
  const [pinned, setPinned] = useUrlState('pin', urlList);
  const all = [...markets.values()];
  const rows = orderRows(all, order, filter, pinned);
  const togglePin = (symbol: string): void =>
    setPinned(pinned.includes(symbol) ? pinned.filter((each) => each !== symbol) : [...pinned, symbol]);

  return (
    <>
      <div className={styles['bar']}>
        <h1>Live</h1>
        <StreamLight stream={stream} packets={all.map(({ packet }) => packet)} />
        <label className={styles['choice']}>
          Sort by{' '}
          <select value={order} onChange={({ target }) => setOrder(target.value as Order)}>
            {ORDERS.map((each) => (
              <option key={each} value={each}>
                {ORDER_WORDS[each]}
              </option>
            ))}
          </select>
        </label>
        <label className={styles['choice']}>
          <span className="visually-hidden">Filter</span>
          <input type="search" placeholder="Filter: state, class, flag" value={filter} onChange={({ target }) => setFilter(target.value)} />
        </label>
        <span className={styles['total']}>
          {all.length === 0
            ? ''
            : rows.length === all.length
              ? counted(all.length, 'symbol')
              : `${rows.length} of ${counted(all.length, 'symbol')}`}
        </span>
      </div>
      <p className={styles['cost']}>
        <OpeningCost credits={OPENING_CREDITS_PER_SYMBOL} each="per symbol" isFollowed />
      </p>
      <SourceRibbon states={all.map(({ packet }) => packet.response_state)} />
      {stream.failure === null ? null : <ProblemNotice error={stream.failure} retry={stream.goOn} />}
      {error !== null && all.length === 0 ? <ProblemNotice error={error} retry={retry} /> : null}
      {isLoading ? <Outline rows={6} label="Loading the newest packets" /> : null}
      {!isLoading && error === null && all.length === 0 ? (
        <Empty why="No packets yet.">The first one arrives within 20 s of the first book of a feed and appears here automatically.</Empty>
      ) : null}
      {all.length > 0 && rows.length === 0 ? (
        <Empty why={`No symbol matches “${filter}”.`}>
          <button type="button" onClick={() => setFilter('')}>
            Show all {all.length}
          </button>
        </Empty>
      ) : null}
      {rows.length === 0 ? null : (
        <>
          <LiveTable rows={rows} pinned={pinned} onPin={togglePin} />
          <p className={styles['note']}>
            The two lines in each score bar are its watch and elevated thresholds. The margin is the lead of this packet's raw winner; the
            published state changes only after several wins in a row.
          </p>
          <StateLegend />
        </>
      )}
      <Announcer rows={all} />
    </>
  );
}

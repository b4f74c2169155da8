import { Choice } from '../../controls/choice';
import { counted, duration, words } from '@market-state/packet-figures';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState, memo } from 'react';
import { Link } from 'wouter';
import { Empty, Outline, ProblemNotice, Light } from '../../status-components/conditions';
import { SourceRibbon, sourceWords } from '../../status-components/source-ribbon';
import { urlList, urlText, urlWord, useUrlState } from '../../service/url-state';
import { StreamLight, type PacketStream, usePacketStream, readLatest } from '../../packets/packet-stream';
import { StateLegend, StateMark } from '../../charts/state-mark';
import { Announcer } from '../../packets/announcer';
import { OpeningCost } from '../../controls/opening-cost';
import { marketWords } from '../../packets/market-name';
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
  type MarketRow,
  isFresh,
  stateAgeMs,
} from '../../packets/live-markets';
import { noteServiceClock, serviceLeadMs, useNowMs } from '../../service/clock';
import { service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import { priceText } from '../../market/numbers';
import { COMPOSITE_NAMES, Severity, stateLabel } from '../../packets/words';
import { BulletBar, ContestBar } from '../../charts/bars';
import { StateStrip } from '../../charts/state-strip';
import { clock } from '../../time/clock';

const NONE: readonly CompactPacket[] = [];
const HOUR_ROWS = 360;

/** Credit limit per symbol before the stream opens: the newest packet and the states of its last hour. */
const OPENING_CREDITS_PER_SYMBOL =
  (service.creditsAtMost('getLatest', { symbol: 'BTCUSD-PERP', view: 'compact' }) ?? 0) +
  (service.creditsAtMost('listHistory', { symbol: 'BTCUSD-PERP', limit: HOUR_ROWS }) ?? 0);

interface LiveMarkets {
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
    queryFn: ({ signal }) => readLatest(symbol, signal),
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
  const [filter, setFilter] = useUrlState('filter', urlText);
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
        <Choice
          className={styles['choice']}
          label="Sort by"
          value={order}
          options={ORDERS}
          say={(each) => ORDER_WORDS[each]}
          onChoose={setOrder}
        />
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
      <ProblemNotice error={stream.failure} retry={stream.goOn} />
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

interface LiveRowProps {
  readonly row: MarketRow;
  readonly isPinned: boolean;
  readonly onPin: (symbol: string) => void;
}

const LiveRow = memo(function LiveRow({ row: { symbol, packet, readings, isPastLoaded }, isPinned, onPin }: LiveRowProps) {
  const endMs = Date.parse(packet.window_end_utc);
  return (
    <tr data-state={packet.state}>
      <th scope="row" className={styles['symbol']}>
        <button
          type="button"
          aria-pressed={isPinned}
          aria-label={`Pin ${marketWords(symbol)}`}
          title={isPinned ? 'Unpin' : 'Pin to top'}
          onClick={() => onPin(symbol)}
        >
          {isPinned ? '◆' : '◇'}
        </button>
        <Link href={`/live/${symbol}`}>{marketWords(symbol)}</Link>
      </th>
      <td className={styles['number']} data-column="Mid, USD">
        {packet.mid_price === null ? <NotReported why="This packet has no order book." /> : priceText(packet.mid_price)}
      </td>
      <td className={styles['state']} data-column="Published state">
        <Link href={`/packet/${packet.event_id}`} title={packet.headline}>
          <StateMark state={packet.state} />
          {packet.state_label}
        </Link>
        <span className={styles['soft']}>{duration(stateAgeMs(packet))}</span>
      </td>
      <td className={styles['margin']} data-column="Raw winner margin">
        <ContestBar
          winner={packet.winner_state}
          runnerUp={packet.runner_up_state}
          labels={[stateLabel(packet.winner_state), stateLabel(packet.runner_up_state)]}
          margin={packet.state_margin}
        />
      </td>
      {COMPOSITE_NAMES.map(([name, title]) => (
        <td key={name} className={styles['score']} data-column={title}>
          <BulletBar reading={packet.composites[name]} name={title} />
        </td>
      ))}
      <td className={styles['severity']} data-column="Severity">
        <Severity severity={packet.severity} soft={styles['soft']} />
      </td>
      <td className={styles['number']} data-column="Confidence">
        {packet.confidence.score.toFixed(2)}
      </td>
      <td data-column="Quality, flags">
        {packet.quality_class}
        {packet.gap_flags.map((flag) => (
          <span key={flag} className={styles['flag']}>
            {words(flag)}
          </span>
        ))}
      </td>
      <td className={styles['strip']} data-column="Last hour">
        <StateStrip
          readings={readings}
          startMs={endMs - BOARD_SPAN_MS}
          endMs={endMs}
          unread={isPastLoaded ? [] : [{ startMs: endMs - BOARD_SPAN_MS, endMs }]}
          label={`States of ${marketWords(symbol)} in the last hour`}
        />
      </td>
      <td className={styles['fresh']} data-column="Data">
        <Freshness packet={packet} />
      </td>
    </tr>
  );
});

function NotReported({ why }: { readonly why: string }) {
  return (
    <span className={styles['soft']} title={why}>
      not reported
    </span>
  );
}

/** Only a live venue's data gets the live light. The age is that of the packet's window. */
function Freshness({ packet }: { readonly packet: CompactPacket }) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  const { word, sentence } = sourceWords(packet.response_state);
  const ageMs = Math.max(0, atMs - Date.parse(packet.window_end_utc));
  const fresh = isFresh(packet, atMs);
  return (
    <span className={styles['data']} title={`${sentence} As of ${clock(packet.window_end_utc)}`}>
      <Light state={fresh ? (packet.response_state === 'live' ? 'live' : 'fresh') : 'stale'} word={fresh ? word : 'stale'} />
      <span className={styles['soft']}>{duration(ageMs)}</span>
    </span>
  );
}

interface LiveTableProps {
  readonly rows: readonly MarketRow[];
  readonly pinned: readonly string[];
  readonly onPin: (symbol: string) => void;
}

function LiveTable({ rows, pinned, onPin }: LiveTableProps) {
  return (
    <table className={styles['table']}>
      <caption className="visually-hidden">Newest packet of each symbol, with the states of its last hour</caption>
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col" className={styles['number']}>
            Mid, USD
          </th>
          <th scope="col">Published state, age</th>
          <th scope="col">Raw winner margin</th>
          {COMPOSITE_NAMES.map(([name, title]) => (
            <th key={name} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">Severity, 0–1</th>
          <th scope="col" className={styles['number']}>
            Confi&shy;dence, 0–1
          </th>
          <th scope="col">Quality, flags</th>
          <th scope="col">Last hour</th>
          <th scope="col">Data</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <LiveRow key={row.symbol} row={row} isPinned={pinned.includes(row.symbol)} onPin={onPin} />
        ))}
      </tbody>
    </table>
  );
}

import { counted } from '@market-state/packet-figures';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { urlList, urlText, urlWord, useUrlState } from '../../service/url-state';
import { StreamLight } from '../../packets/stream-light';
import { OPENING_CREDITS_PER_SYMBOL, useBoard } from '../../packets/use-board';
import { StateLegend } from '../../figures/state-legend';
import { Announcer } from '../../packets/announcer';
import { LiveTable } from './live-table';
import styles from './live.module.css';
import { type Order, ORDERS, orderRows } from './order-rows';

const ORDER = urlWord(ORDERS, 'symbol');
const FILTER = urlText();

const ORDER_WORDS: Readonly<Record<Order, string>> = {
  symbol: 'symbol',
  age: 'age of the state',
  margin: 'margin',
  severity: 'severity',
  confidence: 'confidence',
};

export default function LivePage() {
  const { board, stream, error, isLoading, retry } = useBoard('ALL');
  const [order, setOrder] = useUrlState('sort', ORDER);
  const [filter, setFilter] = useUrlState('filter', FILTER);
  const [pinned, setPinned] = useUrlState('pin', urlList);
  const all = [...board.values()];
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
      <SourceRibbon states={all.map(({ packet }) => packet.response_state)} />
      {stream.failure === null ? null : <ProblemNotice error={stream.failure} retry={stream.goOn} />}
      {error !== null && all.length === 0 ? <ProblemNotice error={error} retry={retry} /> : null}
      {isLoading ? <Outline rows={6} label="Loading the newest packets" /> : null}
      {!isLoading && error === null && all.length === 0 ? (
        <Empty why="No symbol has a packet yet.">
          The first one comes within 20 s of the first book of its feed; this page shows it when it is there.
        </Empty>
      ) : null}
      {all.length > 0 && rows.length === 0 ? (
        <Empty why={`No symbol has “${filter}” now.`}>
          <button type="button" onClick={() => setFilter('')}>
            Show all {all.length}
          </button>
        </Empty>
      ) : null}
      {rows.length === 0 ? null : (
        <>
          <LiveTable rows={rows} pinned={pinned} onPin={togglePin} />
          <p className={styles['note']}>
            The two lines in a bar of a score are its watch and its elevated threshold, in one column for all rows. The margin is the raw
            winner’s of this packet; the published state changes only after several wins in a row. Opening this page costs at most{' '}
            {counted(OPENING_CREDITS_PER_SYMBOL, 'credit')} for each symbol: its newest packet and its states of the last hour.
          </p>
          <StateLegend />
        </>
      )}
      <Announcer rows={all} />
    </>
  );
}

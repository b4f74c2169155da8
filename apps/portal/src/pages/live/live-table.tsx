import { duration, words } from '@market-state/packet-figures';
import { priceText } from '../../market/numbers';
import { memo } from 'react';
import { Link } from 'wouter';
import { COMPOSITE_NAMES, Severity, stateLabel } from '../../packets/words';
import { type MarketRow, BOARD_SPAN_MS, type CompactPacket, isFresh, stateAgeMs } from '../../packets/live-markets';
import styles from './live.module.css';
import { Light } from '../../status-components/light';
import { sourceWords } from '../../status-components/source-ribbon';
import { BulletBar } from '../../charts/bullet-bar';
import { ContestBar } from '../../charts/contest-bar';
import { StateMark } from '../../charts/state-mark';
import { StateStrip } from '../../charts/state-strip';
import { serviceLeadMs, useNowMs } from '../../service/clock';
import { clock } from '../../time/clock';

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
          aria-label={`Pin ${symbol}`}
          title={isPinned ? 'Unpin' : 'Pin to top'}
          onClick={() => onPin(symbol)}
        >
          {isPinned ? '◆' : '◇'}
        </button>
        <Link href={`/live/${symbol}`}>{symbol}</Link>
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
          label={`States of ${symbol} in the last hour`}
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
    <span className={styles['data']} title={`${sentence} As of ${clock(Date.parse(packet.window_end_utc))}`}>
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

export function LiveTable({ rows, pinned, onPin }: LiveTableProps) {
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

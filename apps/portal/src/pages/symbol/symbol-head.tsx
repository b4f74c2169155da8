import { duration, price } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { Light } from '../../conditions/light';
import { sourceWords } from '../../conditions/source-words';
import { StateMark } from '../../figures/state-mark';
import { PacketLines } from '../../market/packet-lines';
import { type CompactPacket, isFresh, stateAgeMs } from '../../packets/board';
import type { StreamStanding } from '../../packets/packet-stream';
import { StreamLight } from '../../packets/stream-light';
import { serviceLeadMs, useNowMs } from '../../service/clock';
import { clock } from '../../time/clock';
import { NextPacket } from './next-packet';
import styles from './symbol.module.css';

interface SymbolHeadProps {
  readonly symbol: string;
  readonly newest: CompactPacket | undefined;
  readonly stream: StreamStanding;
}

/** The newest packet in a few words, with what speaks against it. */
export function SymbolHead({ symbol, newest, stream }: SymbolHeadProps) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  if (newest === undefined)
    return (
      <header className={styles['head']}>
        <h1>{symbol}</h1>
      </header>
    );
  const fresh = isFresh(newest, atMs);
  return (
    <header className={styles['head']} data-stale={!fresh}>
      <div className={styles['title']}>
        <h1>{symbol}</h1>
        <span className={styles['mid']}>{newest.mid_price === null ? 'no book' : `${price(newest.mid_price)} USD`}</span>
        <Link href={`/packet/${newest.event_id}`} className={styles['state'] ?? ''}>
          <StateMark state={newest.state} /> {newest.state_label}
        </Link>
        <span className={styles['soft']}>for {duration(stateAgeMs(newest))}</span>
        <span className={styles['lights']}>
          <Light
            state={fresh ? (newest.response_state === 'live' ? 'live' : 'fresh') : 'stale'}
            word={fresh ? sourceWords(newest.response_state).word : `stale, as of ${clock(Date.parse(newest.window_end_utc), 'time')}`}
          />
          <StreamLight stream={stream} packets={[newest]} />
          <NextPacket newest={newest} />
        </span>
      </div>
      <PacketLines packet={newest} />
    </header>
  );
}

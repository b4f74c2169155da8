import { counted, stateWord } from '@market-state/packet-figures';
import { StateMark } from '../../figures/state-mark';
import { stateLabel } from '../../packets/words';
import { clock, clockSpan } from '../../time/clock';
import type { Timeline } from './hits';
import styles from './search.module.css';

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** Hits over time, a line a symbol: each as wide as it lasted, in the hue and mark of its state. */
export function HitLines({ timeline: { startMs, endMs, lines } }: { readonly timeline: Timeline }) {
  const share = (ms: number): number => (ms - startMs) / (endMs - startMs);
  const states = [...new Set(lines.flatMap(({ spells }) => spells.map(({ state }) => state)))];
  return (
    <figure className={styles['lines']}>
      <div role="img" aria-label={sentenceOf({ startMs, endMs, lines })}>
        {lines.map(({ symbol, total, spells }) => (
          <div key={symbol} className={styles['line']}>
            <span>{symbol}</span>
            <span className={styles['track']}>
              {spells.map(({ state, label, startMs: from, endMs: to }) => (
                <i
                  key={from}
                  className={`state-${stateWord(state)}`}
                  style={{ left: percent(share(from)), width: percent(share(to) - share(from)) }}
                  title={`${label}, ${clockSpan(from, to)}`}
                />
              ))}
            </span>
            <span className={styles['number']}>{total}</span>
          </div>
        ))}
      </div>
      <figcaption className={styles['scale']}>
        <span>{clock(startMs)}</span>
        <span className={styles['marks']}>
          {states.map((state) => (
            <span key={state}>
              <StateMark state={state} /> {stateLabel(state)}
            </span>
          ))}
        </span>
        <span>{clock(endMs)}</span>
      </figcaption>
    </figure>
  );
}

function sentenceOf({ startMs, endMs, lines }: Timeline): string {
  const parts = lines.map(({ symbol, total, spells }) => `${symbol} ${counted(total, 'hit')} in ${counted(spells.length, 'run')}`);
  return `Hits from ${clockSpan(startMs, endMs)}: ${parts.join(', ')}.`;
}

import { counted, duration, words } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import type { Construction } from './how-queries';
import styles from './how.module.css';

/** How many events of each channel the window had, as bars; a channel that the source does not send is not a bar of no length. */
export function WindowInputs({ input }: { readonly input: Construction['packet_input'] }) {
  const totals = Object.entries(input.window_event_totals);
  const most = Math.max(1, ...totals.map(([, total]) => total ?? 0));
  return (
    <>
      <dl className={styles['bars']}>
        {totals.map(([channel, total]) => (
          <div key={channel}>
            <dt>{words(channel)}</dt>
            <dd>
              {total === null ? (
                <span className={sheet['soft']}>not reported by this source</span>
              ) : (
                <>
                  <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={(100 * total) / most} height="8" />
                  </svg>
                  <span>{counted(total, 'event')}</span>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p className={sheet['soft']}>
        {input.source_kind_meaning} The window is {counted(input.window_seconds, 'second')} of exchange time.
        {input.book_age_ms === null ? '' : ` The book was ${ageWords(input.book_age_ms)} old at its end.`}
      </p>
    </>
  );
}

const SECOND_MS = 1_000;
const ageWords = (ms: number): string => (ms < SECOND_MS ? `${ms} ms` : duration(ms));

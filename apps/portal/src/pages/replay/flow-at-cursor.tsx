import type { Schemas } from '@market-state/client';
import { duration, words } from '@market-state/packet-figures';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SpendButton } from '../../controls/spend-button';
import { LadderView } from '../../market/ladder-view';
import { TapeView } from '../../market/tape-view';
import { clock, clockSpan } from '../../time/clock';
import { type Chunk, isRead, type Readings } from './chunks';
import { flowAt, gapAt } from './cursor';
import styles from './replay.module.css';
import { CHUNK_CREDITS_MAX } from './use-readings';

interface FlowAtCursorProps {
  readonly symbol: string;
  readonly chunks: readonly Chunk[];
  readonly chunk: Chunk;
  readonly readings: Readings;
  readonly gaps: readonly Schemas['Gap'][];
  readonly atMs: number;
  readonly onRead: (chunk: Chunk) => void;
}

/** Book and trades at the cursor; where they are not read yet, what reading them costs. */
export function FlowAtCursor({ symbol, chunks, chunk, readings, gaps, atMs, onRead }: FlowAtCursorProps) {
  const reading = readings.get(chunk.index);
  const flow = flowAt(chunks, readings, atMs);
  const unit = symbol.replace(/USD-PERP$/, '');
  const [bookGap, tradeGap] = [gapAt(gaps, 'book', atMs), gapAt(gaps, 'trades', atMs)];
  return (
    <>
      {reading?.state === 'failed' ? <ProblemNotice error={reading.failure} retry={() => onRead(chunk)} /> : null}
      {flow === null ? (
        <Unread chunk={chunk} readings={readings} onRead={onRead} />
      ) : (
        <>
          {bookGap === undefined ? <LadderView flow={flow} unit={unit} /> : <Missing what="Order book" gap={bookGap} />}
          {tradeGap === undefined ? (
            <TapeView flow={flow} unit={unit} empty="No trade was read before this instant." />
          ) : (
            <Missing what="Trades" gap={tradeGap} />
          )}
        </>
      )}
    </>
  );
}

function Unread({ chunk, readings, onRead }: Pick<FlowAtCursorProps, 'chunk' | 'readings' | 'onRead'>) {
  const span = clockSpan(chunk.startMs, chunk.endMs, 'time');
  const reading = readings.get(chunk.index);
  return (
    <section aria-label="Book and trades">
      <h2>Book and trades</h2>
      {reading?.state === 'reading' ? (
        <Outline rows={14} label={`Reading book and trades of ${span}`} />
      ) : (
        <div className={styles['unread']}>
          <p>
            {reading === undefined || isRead(chunk, readings)
              ? `Those of ${span} are not read yet.`
              : `Those of ${span} were read up to ${clock(reading.reachedMs, 'time')}.`}
          </p>
          <p className={styles['soft']}>
            A credit for every 100 rows begun. Playing reads them by itself; pause and seek inside what is read cost nothing.
          </p>
          <p>
            <SpendButton
              action={reading === undefined ? 'Read them' : 'Read on'}
              busy="Reading…"
              creditsAtMost={CHUNK_CREDITS_MAX}
              isBusy={[...readings.values()].some(({ state }) => state === 'reading')}
              onPress={() => onRead(chunk)}
            />
          </p>
        </div>
      )}
    </section>
  );
}

/** Inside a gap nothing is drawn: what stood before it says nothing of it. */
function Missing({ what, gap }: { readonly what: string; readonly gap: Schemas['Gap'] }) {
  const [startMs, endMs] = [Date.parse(gap.start_utc), gap.end_utc === null ? null : Date.parse(gap.end_utc)];
  return (
    <section aria-label={what}>
      <h2>{what}</h2>
      <p className={styles['missing']}>
        Nothing is known here: {words(gap.reason)} from {clock(startMs, 'time')}{' '}
        {endMs === null ? 'on, still open' : `for ${duration(endMs - startMs)}`}. <code>{gap.gap_id}</code>
      </p>
    </section>
  );
}

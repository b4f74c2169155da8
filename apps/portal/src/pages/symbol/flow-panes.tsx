import { type Schemas, StreamEnded } from '@market-state/client';
import { useEffect, useReducer, useState } from 'react';
import { read, service } from '../../service/client';
import { metered, creditsOf, useRunningCost } from '../../service/meter';
import { followShared } from '../../service/shared-stream';
import { useIsSeen } from '../../service/visibility';
import { drawEveryMs } from '../../theme/motion';
import { type FlowState, NO_FLOW, withAnswers, withRows } from '../../market/flow-state';
import { counted } from '@market-state/packet-figures';
import { ProblemNotice } from '../../conditions/problem-notice';
import styles from '../../market/flow.module.css';
import { LadderView, TapeView } from '../../market/flow-views';

/** Book and trades, drawn apart from the charts: they change far more often. */
export function FlowPanes({ symbol }: { readonly symbol: string }) {
  const { flow, failure, goOn } = useFlow(symbol);
  const unit = symbol.replace(/USD-PERP$/, '');
  const missing = [
    flow.skippedTotal === 0 ? '' : `${counted(flow.skippedTotal, 'row')} skipped: this reader was too slow`,
    flow.gapTotal === 0 ? '' : `${counted(flow.gapTotal, 'gap')} of the feed`,
  ].filter((words) => words !== '');
  return (
    <>
      {failure === null ? null : <ProblemNotice error={failure} retry={goOn} />}
      {missing.length === 0 ? null : <p className={styles['missing']}>{missing.join('; ')}.</p>}
      <LadderView flow={flow} unit={unit} />
      <TapeView flow={flow} unit={unit} empty="No trade since this page was opened." />
    </>
  );
}

/** What is shown changes at most so often, milliseconds, and the rows of that time come as one message, so that they cost as one. */
const DRAW_MS = 500;
/** What is asked for once, so that something is shown before the first message. */
const BOOK_LEVELS = 20;
const FIRST_TRADES = 60;
const CHANNELS = ['book', 'trades'] as const;
/** Most credits that one stream may cost before it ends by itself. */
const CREDITS_MAX = 2_000;
/** The cost an hour is told from so many milliseconds of messages on. */
const MEASURE_MS = 15_000;
const HOUR_MS = 3_600_000;

interface Flow {
  readonly flow: FlowState;
  /** Null while the stream goes on. */
  readonly failure: unknown;
  /** Opens a stream that has ended again, from the last message had. */
  readonly goOn: () => void;
}

/** Book and trades of a symbol as they come, drawn twice a second. */
function useFlow(symbol: string): Flow {
  const isSeen = useIsSeen();
  const [flow, setFlow] = useState(NO_FLOW);
  const [failure, setFailure] = useState<unknown>(null);
  const [perHour, setPerHour] = useState<number | null>(null);
  const [starts, goOn] = useReducer((before: number) => before + 1, 0);
  const [resume] = useState(() => new Map<string, string>());
  useRunningCost('rows', isSeen ? perHour : null);

  useEffect(() => {
    if (!isSeen) return undefined;
    const stop = new AbortController();
    let state = NO_FLOW;
    let rows: Schemas['DataRow'][] = [];
    let isDrawn = true;
    let messages = 0;
    const startedMs = performance.now();
    setFailure(null);
    const timer = setInterval(() => {
      if (isDrawn) return;
      isDrawn = true;
      state = withRows(state, rows);
      rows = [];
      setFlow(state);
      const lastedMs = performance.now() - startedMs;
      if (lastedMs > MEASURE_MS) setPerHour(Math.round(creditsOf((messages * HOUR_MS) / lastedMs)));
    }, drawEveryMs(DRAW_MS));
    const answers = Promise.allSettled([
      read(service.book.latest({ symbol, depth: BOOK_LEVELS }, { signal: stop.signal })),
      read(service.trades.latest({ symbol, limit: FIRST_TRADES }, { signal: stop.signal })),
    ]);
    void answers.then(([book, trades]) => {
      state = withAnswers(state, book.status === 'fulfilled' ? book.value : null, trades.status === 'fulfilled' ? trades.value : null);
      isDrawn = false;
    });
    void followShared(
      {
        name: `rows:${symbol}`,
        open: (options) =>
          metered(
            service.stream.data(
              { symbols: [symbol], channels: CHANNELS, conflateMs: DRAW_MS, resumeFrom: resume.get(symbol) },
              { ...options, maxCredits: CREDITS_MAX },
            ),
          ),
        onMessage(message) {
          messages += 1;
          if (message.type === 'conflated') rows.push(...message.data.rows);
          else if (message.type === 'row' || message.type === 'backfill') rows.push(message.data);
          else if (message.type === 'gap' && message.data.kind === 'gap') state = { ...state, gapTotal: state.gapTotal + 1 };
          else if (message.type === 'skipped') state = { ...state, skippedTotal: state.skippedTotal + message.data.row_total };
          else if (message.type === 'end') setFailure(new StreamEnded(message.code, message.resumeId, undefined));
          if ('id' in message) resume.set(symbol, message.id);
          isDrawn = false;
        },
        onConnection: () => undefined,
        onFailure: setFailure,
      },
      stop.signal,
    );
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [symbol, isSeen, resume, starts]);

  return { flow, failure, goOn };
}

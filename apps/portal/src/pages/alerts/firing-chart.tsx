import { isMomentary, WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import { price } from '@market-state/packet-figures';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { Link } from 'wouter';
import { TimeChart } from '../../figures/time-chart';
import type { Span } from '../../service/url-span';
import { useTheme } from '../../theme/theme';
import { clock, clockSpan } from '../../time/clock';
import styles from './alerts.module.css';
import { outcomeSentence } from './outcome-table';
import type { HistoryRow, Outcome } from './rehearse-here';
import type { Rule } from './rule';

interface FiringChartProps {
  readonly rows: readonly HistoryRow[];
  readonly span: Span;
  /** Of each setting. */
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly outcomes: readonly (Outcome | undefined)[];
}

const MID = [{ label: 'mid', color: '--ink', width: 1.4 }] as const;
const INKS = ['--accent', '--warn'] as const;
/** Height of the lane of one setting, at the foot of the plot, pixels. */
const LANE_PX = 11;

/** The mid price, and below it when each setting would have fired: a bar from each message to its recovery. */
export function FiringChart({ rows, span, names, rules, outcomes }: FiringChartProps) {
  const theme = useTheme();
  const data = useMemo(() => priceLine(rows), [rows]);
  const under = useCallback(
    ({ ctx, bbox, valToPos }: uPlot): void => {
      const style = getComputedStyle(document.documentElement);
      ctx.save();
      outcomes.forEach((outcome, index) => {
        const lane = LANE_PX * devicePixelRatio;
        const top = bbox.top + bbox.height - lane * (outcomes.length - index);
        ctx.fillStyle = style.getPropertyValue(INKS[index] ?? INKS[0]);
        for (const [fromMs, toMs] of firings(outcome, rules[index], span.toMs)) {
          const [from, to] = [valToPos(fromMs, 'x', true), valToPos(toMs, 'x', true)];
          ctx.fillRect(from, top + devicePixelRatio, Math.max(2 * devicePixelRatio, to - from), lane - 2 * devicePixelRatio);
        }
      });
      ctx.restore();
    },
    // The inks are those of the theme.
    [outcomes, rules, span.toMs, theme],
  );
  return (
    <>
      <TimeChart
        data={data}
        lines={MID}
        height={230}
        startMs={span.fromMs}
        endMs={span.toMs}
        format={price}
        under={under}
        sentence={`Mid price of ${span.symbol} from ${clockSpan(span.fromMs, span.toMs)}. ${outcomeSentence(names, outcomes)}.`}
      />
      <p className={styles['legend']}>
        {outcomes.map((_outcome, index) => (
          <span key={names[index]}>
            <i data-setting={index} aria-hidden="true" /> {names[index]} fires
          </span>
        ))}
      </p>
      {outcomes.map((outcome, index) =>
        outcome === undefined || outcome.notices.length === 0 ? null : (
          <details key={names[index]}>
            <summary>
              Messages of {names[index]}
              {outcome.notices.length < outcome.triggered + outcome.recovered ? `, the first ${outcome.notices.length}` : ''}
            </summary>
            <ul className={styles['notices']}>
              {outcome.notices.map(({ phase, atMs, eventId }) => (
                <li key={`${atMs} ${phase}`}>
                  {clock(atMs)}, {phase}: <Link href={`/packet/${eventId}`}>packet</Link>
                </li>
              ))}
            </ul>
          </details>
        ),
      )}
    </>
  );
}

/** The line breaks where a window is missing, so that no price is drawn over a hole. */
function priceLine(rows: readonly HistoryRow[]): uPlot.AlignedData {
  const times: number[] = [];
  const mids: (number | null)[] = [];
  for (const { window_end_utc: end, mid_price: mid } of rows) {
    const endMs = Date.parse(end);
    const last = times.at(-1);
    if (last !== undefined && endMs > last + WINDOW_MS) {
      times.push(last + 1);
      mids.push(null);
    }
    times.push(endMs);
    mids.push(mid);
  }
  return [times, mids];
}

/** From each trigger to its recovery; one that does not recover lasts to the end, one of a momentary rule an instant. */
function firings(outcome: Outcome | undefined, rule: Rule | undefined, endMs: number): readonly (readonly [number, number])[] {
  if (outcome === undefined || rule === undefined) return [];
  const spans: (readonly [number, number])[] = [];
  let openMs: number | null = null;
  for (const { phase, atMs } of outcome.notices) {
    if (phase === 'triggered' && isMomentary(rule.kind)) spans.push([atMs, atMs]);
    else if (phase === 'triggered') openMs = atMs;
    else if (openMs !== null) {
      spans.push([openMs, atMs]);
      openMs = null;
    }
  }
  return openMs === null ? spans : [...spans, [openMs, endMs]];
}

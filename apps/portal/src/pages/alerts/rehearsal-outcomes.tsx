import { whole } from '../../market/numbers';
import { Table } from '../../controls/table';
import { WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import { counted, price } from '@market-state/packet-figures';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { Link } from 'wouter';
import { marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { type Outcome, type Firing, firingsOf, type HistoryRow } from './rehearse-here';
import { type Rule, settingWords } from './rule';
import type { Span } from '../../service/url-state';
import { useTheme } from '../../theme/theme';
import { clock, clockSpan } from '../../time/clock';

/** Loaded with the first test of a rule. */
const TimeChart = lazy(() => import('../../charts/time-chart').then(({ TimeChart: each }) => ({ default: each })));
const HEIGHT_PX = 230;

interface FiringChartProps {
  readonly rows: readonly HistoryRow[];
  readonly span: Span;
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly outcomes: readonly (Outcome | undefined)[];
  /** Messages if one packet were enough; null where it already is, or if unknown. */
  readonly singles: readonly (Outcome['notices'] | null)[];
}

const MID = [{ label: 'mid', color: '--ink', width: 1.4 }] as const;
const INKS = ['--accent', '--warn'] as const;
const ROW_PX = 11;

/**
 * Mid price with each setting's firings below: a bar from message to recovery, a line at the start of a flap, and an
 * outline where a single packet would have fired.
 */
export function FiringChart({ rows, span, names, rules, outcomes, singles }: FiringChartProps) {
  const theme = useTheme();
  const data = useMemo(() => priceLine(rows), [rows]);
  const outcomeRows = useMemo(
    () => outcomes.map((outcome, index) => rowOf(outcome, singles[index] ?? null, rules[index], span.toMs)),
    [outcomes, singles, rules, span.toMs],
  );
  const under = useCallback(
    (plot: uPlot): void => {
      const style = getComputedStyle(document.documentElement);
      plot.ctx.save();
      outcomeRows.forEach((outcomeRow, index) =>
        drawRow(plot, outcomeRow, outcomeRows.length - index, style.getPropertyValue(INKS[index] ?? INKS[0]), style),
      );
      plot.ctx.restore();
    },
    // Inks depend on the theme.
    [outcomeRows, theme],
  );
  return (
    <>
      <Suspense fallback={<div style={{ height: HEIGHT_PX }} />}>
        <TimeChart
          data={data}
          lines={MID}
          height={HEIGHT_PX}
          startMs={span.fromMs}
          endMs={span.toMs}
          format={price}
          under={under}
          sentence={`Mid price of ${marketWords(span.symbol)} from ${clockSpan(span.fromMs, span.toMs)}. ${outcomeSentence(names, outcomes)}.`}
        />
      </Suspense>
      <p className={styles['legend']}>
        {outcomes.map((_outcome, index) => (
          <span key={names[index]}>
            <i data-setting={index} aria-hidden="true" /> {names[index]} fires
          </span>
        ))}
        {outcomeRows.some(({ singles: alone }) => alone.length > 0) ? (
          <span>
            <i data-mark="outline" aria-hidden="true" /> a single packet would have fired
          </span>
        ) : null}
        {outcomeRows.some(({ firings }) => firings.some(({ isFlap }) => isFlap)) ? (
          <span>
            <i data-mark="line" aria-hidden="true" /> flapped: fired again within 10 min
          </span>
        ) : null}
      </p>
      {outcomes.map((outcome, index) =>
        outcome === undefined || outcome.notices.length === 0 ? null : (
          <details key={names[index]}>
            <summary>
              Messages from {names[index]}
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

/** Breaks the line at missing windows. */
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

interface OutcomeRow {
  readonly firings: readonly Firing[];
  readonly singles: readonly Firing[];
}

function rowOf(outcome: Outcome | undefined, singles: Outcome['notices'] | null, rule: Rule | undefined, endMs: number): OutcomeRow {
  if (outcome === undefined || rule === undefined) return { firings: [], singles: [] };
  return { firings: firingsOf(outcome.notices, rule, endMs), singles: firingsOf(singles ?? [], rule, endMs) };
}

/** @param above rows from the bottom of the plot, including this one */
function drawRow(
  { ctx, bbox, valToPos }: uPlot,
  { firings, singles }: OutcomeRow,
  above: number,
  ink: string,
  style: CSSStyleDeclaration,
): void {
  const px = devicePixelRatio;
  const [top, height] = [bbox.top + bbox.height - ROW_PX * px * above + px, (ROW_PX - 2) * px];
  const placeOf = ({ fromMs, toMs }: Firing): readonly [number, number] => {
    const [from, to] = [valToPos(fromMs, 'x', true), valToPos(toMs, 'x', true)];
    return [from, Math.max(2 * px, to - from)];
  };
  ctx.strokeStyle = ink;
  ctx.lineWidth = px;
  for (const single of singles) {
    const [from, width] = placeOf(single);
    ctx.strokeRect(from + px / 2, top + px / 2, Math.max(px, width - px), height - px);
  }
  for (const firing of firings) {
    const [from, width] = placeOf(firing);
    ctx.fillStyle = ink;
    ctx.fillRect(from, top, width, height);
    if (!firing.isFlap) continue;
    ctx.fillStyle = style.getPropertyValue('--ink');
    ctx.fillRect(from - px, top, 2 * px, height);
  }
}

const CREDITS_A_DELIVERY = 1;

interface OutcomeTableProps {
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly outcomes: readonly (Outcome | undefined)[];
}

const LINES: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
  ['fired', ({ triggered }) => whole(triggered)],
  ['recovered', ({ recovered }) => whole(recovered)],
  ['flapped: fired again within 10 min', ({ flaps }) => whole(flaps)],
  ['suppressed by the cooldown', ({ suppressed }) => whole(suppressed)],
  ['missed: held for one packet but not for enough in a row', ({ missed }) => (missed === null ? 'none' : whole(missed))],
  ['gaps without packets', ({ holes }) => whole(holes)],
  ['messages to each endpoint', ({ triggered, recovered }) => whole(triggered + recovered)],
  ['credits for those messages', ({ triggered, recovered }) => whole((triggered + recovered) * CREDITS_A_DELIVERY)],
];

export function OutcomeTable({ names, rules, outcomes }: OutcomeTableProps) {
  return (
    <div className={sheet['scroll']} tabIndex={0} role="group" aria-label="Rehearsal results">
      <Table
        className={styles['outcomes']}
        rows={LINES}
        keyOf={([name]) => name}
        columns={[
          { head: 'In this span', cell: ([name]) => name },
          ...rules.map((rule, index) => ({
            head: `${rules.length === 1 ? '' : `${names[index] ?? ''}: `}${settingWords(rule)}`,
            cell: ([, of]: (typeof LINES)[number]) => (outcomes[index] === undefined ? '…' : of(outcomes[index])),
            className: sheet['number'],
          })),
        ]}
      />
    </div>
  );
}

function outcomeSentence(names: readonly string[], outcomes: readonly (Outcome | undefined)[]): string {
  return outcomes
    .map((outcome, index) =>
      outcome === undefined
        ? ''
        : `${names[index] ?? ''} fired ${counted(outcome.triggered, 'time')} and recovered ${counted(outcome.recovered, 'time')}`,
    )
    .filter((sentence) => sentence !== '')
    .join('; ');
}

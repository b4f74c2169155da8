import { WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import { counted, price } from '@market-state/packet-figures';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { Link } from 'wouter';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { type Outcome, type Firing, firingsOf, type HistoryRow } from './rehearse-here';
import { type Rule, settingWords } from './rule';
import { TimeChart } from '../../figures/time-chart';
import type { Span } from '../../service/url-state';
import { useTheme } from '../../theme/theme';
import { clock, clockSpan } from '../../time/clock';

interface FiringChartProps {
  readonly rows: readonly HistoryRow[];
  readonly span: Span;
  /** Of each setting. */
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly outcomes: readonly (Outcome | undefined)[];
  /** What each setting would have told if one packet were enough; null where it is, or where that is not known. */
  readonly singles: readonly (Outcome['notices'] | null)[];
}

const MID = [{ label: 'mid', color: '--ink', width: 1.4 }] as const;
const INKS = ['--accent', '--warn'] as const;
/** Height of the lane of one setting, at the foot of the plot, pixels. */
const LANE_PX = 11;

/**
 * The mid price, and below it when each setting would have fired: a bar from each message to its recovery, with a line at the start of one
 * that flapped, and an outline where one packet alone would have fired.
 */
export function FiringChart({ rows, span, names, rules, outcomes, singles }: FiringChartProps) {
  const theme = useTheme();
  const data = useMemo(() => priceLine(rows), [rows]);
  const lanes = useMemo(
    () => outcomes.map((outcome, index) => laneOf(outcome, singles[index] ?? null, rules[index], span.toMs)),
    [outcomes, singles, rules, span.toMs],
  );
  const under = useCallback(
    (plot: uPlot): void => {
      const style = getComputedStyle(document.documentElement);
      plot.ctx.save();
      lanes.forEach((lane, index) => drawLane(plot, lane, lanes.length - index, style.getPropertyValue(INKS[index] ?? INKS[0]), style));
      plot.ctx.restore();
    },
    // The inks are those of the theme.
    [lanes, theme],
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
        {lanes.some(({ singles: alone }) => alone.length > 0) ? (
          <span>
            <i data-mark="outline" aria-hidden="true" /> one packet alone would have fired
          </span>
        ) : null}
        {lanes.some(({ firings }) => firings.some(({ isFlap }) => isFlap)) ? (
          <span>
            <i data-mark="line" aria-hidden="true" /> flapped: fired again within 10 min
          </span>
        ) : null}
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

/** What is drawn of one setting. */
interface Lane {
  readonly firings: readonly Firing[];
  readonly singles: readonly Firing[];
}

function laneOf(outcome: Outcome | undefined, singles: Outcome['notices'] | null, rule: Rule | undefined, endMs: number): Lane {
  if (outcome === undefined || rule === undefined) return { firings: [], singles: [] };
  return { firings: firingsOf(outcome.notices, rule, endMs), singles: firingsOf(singles ?? [], rule, endMs) };
}

/** @param above lanes from the foot of the plot up to this one's top */
function drawLane(
  { ctx, bbox, valToPos }: uPlot,
  { firings, singles }: Lane,
  above: number,
  ink: string,
  style: CSSStyleDeclaration,
): void {
  const px = devicePixelRatio;
  const [top, height] = [bbox.top + bbox.height - LANE_PX * px * above + px, (LANE_PX - 2) * px];
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

/** Credits of a message about a rule, for each endpoint that it reaches. */
const CREDITS_A_DELIVERY = 1;

interface OutcomeTableProps {
  /** Of each setting; empty where there is one alone. */
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly outcomes: readonly (Outcome | undefined)[];
}

const LINES: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
  ['fired', ({ triggered }) => whole(triggered)],
  ['recovered', ({ recovered }) => whole(recovered)],
  ['flapped: fired again within 10 min', ({ flaps }) => whole(flaps)],
  ['held back by the pause between messages', ({ suppressed }) => whole(suppressed)],
  ['missed: held for one packet, and not for enough in a row', ({ missed }) => (missed === null ? 'none' : whole(missed))],
  ['stretches without packets', ({ holes }) => whole(holes)],
  ['messages to each endpoint', ({ triggered, recovered }) => whole(triggered + recovered)],
  ['credits of those', ({ triggered, recovered }) => whole((triggered + recovered) * CREDITS_A_DELIVERY)],
];

const whole = (total: number): string => total.toLocaleString('en-US');

/** What each setting would have told, side by side. */
export function OutcomeTable({ names, rules, outcomes }: OutcomeTableProps) {
  return (
    <div className={sheet['scroll']} tabIndex={0} role="group" aria-label="What would have been told">
      <table className={styles['outcomes']}>
        <thead>
          <tr>
            <th scope="col">In this span</th>
            {rules.map((rule, index) => (
              <th key={names[index]} scope="col" className={sheet['number']}>
                {rules.length === 1 ? '' : `${names[index] ?? ''}: `}
                {settingWords(rule)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {LINES.map(([name, of]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {outcomes.map((outcome, index) => (
                <td key={names[index]} className={sheet['number']}>
                  {outcome === undefined ? '…' : of(outcome)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One sentence of each setting, for those who do not see the chart. */
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

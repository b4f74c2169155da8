import type { Schemas } from '@market-state/client';
import { price, SIDE_HUES, spellsOf, stripOf, words } from '@market-state/packet-figures';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { stateInk } from '../../figures/state-paint';
import { TimeChart } from '../../figures/time-chart';
import { BOARD_SPAN_MS, type CompactPacket } from '../../packets/board';
import { currentTheme } from '../../theme/theme';
import { classMarks, type Series } from './series';

interface PriceChartProps {
  readonly packets: readonly CompactPacket[];
  readonly series: Series;
  readonly endMs: number;
  /** Entries of the gap ledger in the hour. */
  readonly gaps: readonly Schemas['Gap'][];
}

const MID = [{ label: 'mid', color: '--ink', width: 1.6 }] as const;
/** Height of the class marks at the foot of the plot, pixels. */
const MARK_PX = 7;
const BAND_OPACITY = 0.36;
/** A seam is a thin line: nothing is known to be missing there. Class marks that lean to no side have the same grey. */
const SEAM = '#8a97a6';

/** Mid price over bands of the published state; class marks at its foot; what no packet covers is hatched. */
export function PriceChart({ packets, series, endMs, gaps }: PriceChartProps) {
  const startMs = endMs - BOARD_SPAN_MS;
  const parts = useMemo(
    () =>
      stripOf(
        packets.map(({ window_end_utc: end, state, state_label: label }) => ({ windowEndMs: Date.parse(end), state, stateLabel: label })),
        startMs,
        endMs,
      ),
    [packets, startMs, endMs],
  );
  const marks = useMemo(() => classMarks(packets), [packets]);
  const data = useMemo<uPlot.AlignedData>(() => [series.timesMs, series.mid], [series]);

  const under = useCallback(
    (chart: uPlot): void => {
      const { ctx, bbox } = chart;
      const theme = currentTheme();
      const x = (ms: number): number => Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(ms, 'x', true)));
      ctx.save();
      for (const { word, startMs: from, endMs: to } of parts) {
        const isHole = word === 'missing' || word === 'hole';
        ctx.globalAlpha = isHole ? 1 : BAND_OPACITY;
        ctx.fillStyle = stateInk(ctx, isHole ? 'replay_context_ready' : word, theme);
        ctx.fillRect(x(from), bbox.top, x(to) - x(from), bbox.height);
      }
      ctx.globalAlpha = 1;
      for (const { kind, start_utc: start, end_utc: end } of gaps) {
        const [from, to] = [x(Date.parse(start)), end === null ? bbox.left + bbox.width : x(Date.parse(end))];
        ctx.fillStyle = kind === 'seam' ? SEAM : stateInk(ctx, 'replay_context_ready', theme);
        ctx.fillRect(from, bbox.top, kind === 'seam' ? devicePixelRatio : Math.max(devicePixelRatio, to - from), bbox.height);
      }
      const height = MARK_PX * devicePixelRatio;
      for (const { startMs: from, endMs: to, side } of marks) {
        ctx.fillStyle = side === 'none' ? SEAM : SIDE_HUES[theme][side];
        ctx.fillRect(x(from), bbox.top + bbox.height - height, Math.max(1, x(to) - x(from)), height);
      }
      ctx.restore();
    },
    [parts, marks, gaps],
  );

  return (
    <TimeChart
      data={data}
      lines={MID}
      height={260}
      startMs={startMs}
      endMs={endMs}
      format={price}
      under={under}
      sentence={sentenceOf(packets)}
    />
  );
}

/** The hour in one sentence, for those who do not see the chart. */
function sentenceOf(packets: readonly CompactPacket[]): string {
  const mids = packets.flatMap(({ mid_price: mid }) => (mid === null ? [] : [mid]));
  const newest = packets.at(-1);
  if (newest === undefined || mids.length === 0) return 'Mid price of the last hour: no packet has one.';
  const spells = spellsOf(
    packets.map(({ window_end_utc: end, state, state_label: label }) => ({ windowEndMs: Date.parse(end), state, stateLabel: label })),
  );
  return (
    `Mid price of the last hour: ${price(Math.min(...mids))} to ${price(Math.max(...mids))} USD, now ${price(mids.at(-1) ?? 0)}; ` +
    `${spells.length} runs of a state, now ${newest.state_label}; event class ${words(newest.event_class)}.`
  );
}

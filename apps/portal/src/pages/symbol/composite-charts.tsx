import { useMemo } from 'react';
import type uPlot from 'uplot';
import { TimeChart } from '../../figures/time-chart';
import { BOARD_SPAN_MS, type CompactPacket } from '../../packets/board';
import { COMPOSITE_NAMES } from '../../packets/words';
import type { Series } from './series';
import styles from './symbol.module.css';

const LINES = [
  { label: 'score', color: '--accent', width: 1.5 },
  { label: 'watch', color: '--ink-soft', width: 1, dash: [6, 4] },
  { label: 'elevated', color: '--ink-soft', width: 1, dash: [2, 3] },
] as const;
const BOUNDS = [0, 1] as const;

interface CompositeChartsProps {
  readonly series: Series;
  readonly newest: CompactPacket | undefined;
  readonly endMs: number;
}

/** Each composite score against the thresholds that were in force then. */
export function CompositeCharts({ series, newest, endMs }: CompositeChartsProps) {
  return (
    <div className={styles['composites']}>
      {COMPOSITE_NAMES.map(([name, title]) => (
        <CompositeChart
          key={name}
          title={title}
          columns={series.composites[name]}
          timesMs={series.timesMs}
          reading={newest?.composites[name]}
          endMs={endMs}
        />
      ))}
    </div>
  );
}

interface CompositeChartProps {
  readonly title: string;
  readonly columns: Series['composites']['pressure'];
  readonly timesMs: number[];
  readonly reading: CompactPacket['composites']['pressure'] | undefined;
  readonly endMs: number;
}

function CompositeChart({ title, columns, timesMs, reading, endMs }: CompositeChartProps) {
  const data = useMemo<uPlot.AlignedData>(() => [timesMs, columns.score, columns.watch, columns.elevated], [timesMs, columns]);
  const hasSource = columns.score.some((score) => score !== null);
  const now = reading === undefined || reading.score === null ? 'not reported' : reading.score.toFixed(2);
  return (
    <figure>
      <figcaption>
        {title} <b>{now}</b>
        {reading === undefined || reading.score === null ? null : (
          <span className={styles['soft']}>
            watch {reading.watch.toFixed(2)}, elevated {reading.elevated.toFixed(2)}
          </span>
        )}
      </figcaption>
      {hasSource ? (
        <TimeChart
          data={data}
          lines={LINES}
          height={96}
          bounds={BOUNDS}
          startMs={endMs - BOARD_SPAN_MS}
          endMs={endMs}
          format={(value) => value.toFixed(1)}
          sentence={`${title} over the last hour against its watch and elevated thresholds; now ${now}.`}
        />
      ) : (
        <p className={styles['absent']}>No source reports it: no packet of this hour has this score.</p>
      )}
    </figure>
  );
}

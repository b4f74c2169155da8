import { Table } from '../controls/table';
import { type Composite, counted } from '@market-state/packet-figures';
import { useMemo, useId } from 'react';
import type uPlot from 'uplot';
import { Link } from 'wouter';
import { TimeChart } from '../charts/time-chart';
import type { CompactPacket } from '../packets/live-markets';
import { COMPOSITE_NAMES } from '../packets/words';
import type { Series } from './series';
import styles from './market.module.css';
import { urlWord, useUrlState } from '../service/url-state';
import { clockBelow, zoned } from '../time/clock';
import { OpenPart } from './span-tables';

interface CompositeTableProps {
  readonly packets: readonly CompactPacket[];
  readonly rowsMax: number;
}

const URL_COMPOSITE = urlWord(
  COMPOSITE_NAMES.map(([name]) => name),
  'pressure',
);

export function CompositeTable({ packets, rowsMax }: CompositeTableProps) {
  const [composite, setComposite] = useUrlState('score', URL_COMPOSITE);
  const id = useId();
  const total = Math.min(rowsMax, packets.length);
  return (
    <OpenPart
      name="scores"
      summary={`The composite scores of ${total === packets.length ? '' : 'the newest '}${counted(total, 'packet')} as a table`}
    >
      {() => (
        <>
          <label htmlFor={id}>Score </label>
          <select
            id={id}
            value={composite}
            onChange={({ target }) => setComposite(URL_COMPOSITE.read(target.value) ?? URL_COMPOSITE.usual)}
          >
            {COMPOSITE_NAMES.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
          <Rows packets={packets.slice(-rowsMax).toReversed()} composite={composite} />
        </>
      )}
    </OpenPart>
  );
}

function Rows({ packets, composite }: Pick<CompositeTableProps, 'packets'> & { readonly composite: Composite }) {
  return (
    <Table
      caption="Score and thresholds by packet, newest first"
      rows={packets}
      keyOf={({ event_id: id }) => id}
      columns={[
        {
          head: zoned('Window to'),
          cell: ({ event_id: id, window_end_utc: end }) => <Link href={`/packet/${id}`}>{clockBelow(end, 'time')}</Link>,
        },
        { head: 'Score', cell: ({ composites }) => composites[composite].score?.toFixed(2) ?? 'not reported', className: styles['number'] },
        { head: 'Watch', cell: ({ composites }) => composites[composite].watch.toFixed(2), className: styles['number'] },
        { head: 'Elevated', cell: ({ composites }) => composites[composite].elevated.toFixed(2), className: styles['number'] },
      ]}
    />
  );
}

const LINES = [
  { label: 'score', color: '--accent', width: 1.5 },
  { label: 'watch', color: '--ink-soft', width: 1, dash: [6, 4] },
  { label: 'elevated', color: '--ink-soft', width: 1, dash: [2, 3] },
] as const;
const BOUNDS = [0, 1] as const;

interface CompositeChartsProps {
  readonly series: Series;
  readonly newest: CompactPacket | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly spanWords: string;
}

export function CompositeCharts({ series, newest, ...span }: CompositeChartsProps) {
  return (
    <div className={styles['composites']}>
      {COMPOSITE_NAMES.map(([name, title]) => (
        <CompositeChart
          key={name}
          title={title}
          columns={series.composites[name]}
          timesMs={series.timesMs}
          reading={newest?.composites[name]}
          {...span}
        />
      ))}
    </div>
  );
}

interface CompositeChartProps extends Pick<CompositeChartsProps, 'startMs' | 'endMs' | 'spanWords'> {
  readonly title: string;
  readonly columns: Series['composites']['pressure'];
  readonly timesMs: number[];
  readonly reading: CompactPacket['composites']['pressure'] | undefined;
}

function CompositeChart({ title, columns, timesMs, reading, startMs, endMs, spanWords }: CompositeChartProps) {
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
          startMs={startMs}
          endMs={endMs}
          format={(value) => value.toFixed(1)}
          sentence={`${title} ${spanWords} against its watch and elevated thresholds; last ${now}.`}
        />
      ) : (
        <p className={styles['absent']}>This score has no source, so no packet reports it.</p>
      )}
    </figure>
  );
}

const COLUMNS = 24;
const HEIGHTS = { lines: 8, value: 4, table: 8 };
/** Version of Grafana's model; later versions migrate it automatically. */
const SCHEMA_VERSION = 39;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

export function toDashboard({ id, title, panels }: Dashboard): object {
  return {
    uid: `market-state-${id}`,
    title: `Market State: ${title}`,
    tags: ['market-state'],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    timezone: 'utc',
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    annotations: { list: [] },
    panels: placed(panels).map(({ panel, x, y }, index) => toPanel(panel, index + 1, x, y)),
  };
}

interface Placed {
  readonly panel: Panel;
  readonly x: number;
  readonly y: number;
}

/** Left to right; a panel that does not fit starts the next row, below the tallest one of this row. */
function placed(panels: readonly Panel[]): Placed[] {
  let [x, y, rowHeight] = [0, 0, 0];
  return panels.map((panel) => {
    if (x + panel.width > COLUMNS) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const place = { panel, x, y };
    x += panel.width;
    rowHeight = Math.max(rowHeight, heightOf(panel));
    return place;
  });
}

function heightOf({ kind }: Panel): number {
  return HEIGHTS[typeof kind === 'object' ? 'table' : kind];
}

function toPanel(panel: Panel, id: number, x: number, y: number): object {
  const { title, kind, unit, queries, redFrom, width } = panel;
  const isTable = typeof kind === 'object';
  const steps = [{ color: 'green', value: null }, ...(redFrom === undefined ? [] : [{ color: 'red', value: redFrom }])];
  return {
    id,
    title,
    type: isTable ? 'table' : kind === 'lines' ? 'timeseries' : 'stat',
    datasource: DATASOURCE,
    gridPos: { h: heightOf(panel), w: width, x, y },
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: {},
    targets: queries.map(({ expr, legend }, index) => ({
      refId: refIdOf(index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      instant: kind !== 'lines',
      range: kind === 'lines',
      ...(isTable ? { format: 'table' } : {}),
    })),
    ...(isTable
      ? {
          transformations: columnsOf(
            queries.map(({ legend }) => legend),
            kind.rowsBy,
          ),
        }
      : {}),
  };
}

function refIdOf(index: number): string {
  return String.fromCodePoint(65 + index);
}

function columnsOf(names: readonly string[], rowsBy: string): object[] {
  const valueNames = names.map((name, index) => [`Value #${refIdOf(index)}`, name]);
  return [
    { id: 'joinByField', options: { byField: rowsBy, mode: 'outer' } },
    { id: 'filterFieldsByName', options: { include: { names: [rowsBy, ...valueNames.map(([value]) => value)] } } },
    { id: 'organize', options: { renameByName: Object.fromEntries(valueNames) } },
  ];
}

type Unit = 's' | 'percentunit' | 'short' | 'bytes' | 'Bps' | 'reqps' | 'cps' | 'd' | 'none';

interface DashboardQuery {
  readonly expr: string;
  /** Line name with `{{label}}` filled in; for a table, the column name. */
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  /** Lines over time, the current value, or a table with a row per value of a label. */
  readonly kind: 'lines' | 'value' | { readonly rowsBy: string };
  readonly unit: Unit;
  readonly queries: readonly DashboardQuery[];
  readonly redFrom?: number;
  /** Columns out of 24. */
  readonly width: 6 | 8 | 12 | 24;
}

export interface Dashboard {
  /** File name, and address in Grafana. */
  readonly id: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

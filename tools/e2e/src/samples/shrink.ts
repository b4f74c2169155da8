/** One answer of a sample, as `apps/portal/src/sample` reads it. */
export interface RecordedAnswer {
  readonly path: string;
  readonly symbol?: string;
  readonly view?: string;
  readonly body: unknown;
}

type Row = Readonly<Record<string, unknown>>;

const RECEIPTS_MAX = 20;
const HITS_MAX = 30;
/** An hour, and the packet before it. */
const PACKETS_MAX = 361;
/** Shown only for the newest packet. */
const NEWEST_ONLY = ['headline', 'one_reason', 'one_against', 'next_check', 'session_state', 'packet_digest', 'lineage_digest'];
const COMPOSITE_FIELDS = ['score', 'watch', 'elevated'];
const DECIMALS = 4;
/** Fields of the last hour's packets that `/live` reads. */
const LIVE_FIELDS = ['symbol', 'window_end_utc', 'state', 'state_label'];

/** Removes the parts of an answer that a sample page, which only shows its data, never uses. */
export function shrink(answer: RecordedAnswer): RecordedAnswer {
  const body = answer.body as Row;
  if (answer.path.endsWith('/history'))
    return {
      ...answer,
      body: { ...body, rows: answer.view === 'compact' ? chartRows(body) : liveRows(body), state_spans: [], transitions: [] },
    };
  if (answer.path.endsWith('/events/search')) return { ...answer, body: { ...body, rows: rowsOf(body).slice(0, HITS_MAX) } };
  if (answer.path.endsWith('/usage') && Array.isArray(body['receipts']))
    return { ...answer, body: { ...body, receipts: (body['receipts'] as readonly Row[]).slice(0, RECEIPTS_MAX) } };
  return answer;
}

const rowsOf = (body: Row): readonly Row[] => body['rows'] as readonly Row[];

function chartRows(body: Row): readonly Row[] {
  const endOf = (row: Row): number => Date.parse(String(row['window_end_utc']));
  const [newest, ...others] = [...rowsOf(body)].sort((a, b) => endOf(b) - endOf(a)).slice(0, PACKETS_MAX);
  return newest === undefined ? [] : [newest, ...others.map(shownFields)];
}

function liveRows(body: Row): readonly Row[] {
  return rowsOf(body).map((row) => Object.fromEntries(LIVE_FIELDS.map((name) => [name, row[name]])));
}

/** The fields of a packet that charts and tables show. */
function shownFields(row: Row): Row {
  const kept = Object.entries(row).filter(([name]) => !NEWEST_ONLY.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, name === 'composites' ? compositesOf(value as Row) : value]));
}

function compositesOf(composites: Row): Row {
  return Object.fromEntries(
    Object.entries(composites).map(([name, reading]) => [
      name,
      reading === null ? null : Object.fromEntries(COMPOSITE_FIELDS.map((field) => [field, rounded((reading as Row)[field])])),
    ]),
  );
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(DECIMALS)) : value;
}

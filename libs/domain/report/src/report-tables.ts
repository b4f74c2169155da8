import {
  counts,
  duration,
  firstCalibrated,
  GAP_LABELS,
  percent,
  stateChanges,
  stateShares,
  utc,
  words,
  type Count,
  type MissingSpan,
  type ReportSample,
  type StateRun,
  escape,
} from '@market-state/packet-figures';

/** Text is left-aligned, a number right-aligned. */
type Cell = string | { readonly number: string };

const FEW_COLUMNS = 4;

function table(title: string, head: readonly string[], rows: readonly (readonly Cell[])[], note = ''): string {
  const body =
    rows.length === 0
      ? `<tr><td colspan="${head.length}">none</td></tr>`
      : rows.map((row) => `<tr>${row.map((content, column) => cell(content, head[column] ?? '')).join('')}</tr>`).join('\n');
  const numeric = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] !== 'string'));
  const columns = head.map((name, column) => `<th${numeric[column] === true ? ' class="n"' : ''}>${escape(name)}</th>`).join('');
  return `<section class="table"><h3>${escape(title)}</h3>${note === '' ? '' : `<p>${escape(note)}</p>`}
<table${head.length > FEW_COLUMNS ? ' class="many"' : ''}><thead><tr>${columns}</tr></thead><tbody>
${body}
</tbody></table></section>`;
}

/** Narrow pages show wide tables as lines, each with its column name. */
function cell(content: Cell, column: string): string {
  const [kind, text] = typeof content === 'string' ? ['', content] : [' class="n"', content.number];
  return `<td${kind} data-column="${escape(column)}">${escape(text)}</td>`;
}

const n = (number: number | string): Cell => ({ number: String(number) });

export function stateTable(samples: readonly ReportSample[], stateRuns: readonly StateRun[]): string {
  return table(
    'Published states',
    ['state', 'packets', 'share', 'share outside gaps', 'runs', 'median run', 'longest run'],
    stateShares(samples, stateRuns).map((row) => [
      row.label,
      n(row.packets),
      n(percent(row.share)),
      n(row.shareOutsideGaps === null ? '–' : percent(row.shareOutsideGaps)),
      n(row.stateRuns),
      n(duration(row.medianDwellSeconds * 1_000)),
      n(duration(row.longestDwellSeconds * 1_000)),
    ]),
  );
}

export function changeTable(samples: readonly ReportSample[]): string {
  const labels = stateLabels(samples);
  const rows = stateChanges(samples).map(({ from, to, total }) => [labels(from), labels(to), n(total)]);
  return table('Changes of state', ['from', 'to', 'times'], rows);
}

export function contestTable(samples: readonly ReportSample[]): string {
  const labels = stateLabels(samples);
  const pairs = counts(samples, ({ winner, runnerUp }) => [`${winner}>${runnerUp}`]);
  const rows = pairs.map(({ value, packets, share }) => {
    const [winner = '', runnerUp = ''] = value.split('>');
    return [labels(winner), labels(runnerUp), n(packets), n(percent(share))];
  });
  return table('Raw winner and what lost to it', ['raw winner', 'runner-up', 'packets', 'share'], rows);
}

/** Label of a state from the packets, or the state's own name if no packet published it. */
export function stateLabels(samples: readonly ReportSample[]): (state: string) => string {
  const labels = new Map(samples.map(({ state, stateLabel }) => [state, stateLabel]));
  return (state) => labels.get(state) ?? sentenceCase(words(state));
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export function thresholdTable(samples: readonly ReportSample[]): string {
  const crossed = new Map(counts(samples, (sample) => sample.crossed).map((row) => [row.value, row]));
  const near = new Map(counts(samples, (sample) => sample.near).map((row) => [row.value, row]));
  const ids = [...new Set(samples.flatMap((sample) => [...sample.crossed, ...sample.near]))].sort();
  const rows = ids.map((id) => [
    words(id),
    n(crossed.get(id)?.packets ?? 0),
    n(percent(crossed.get(id)?.share ?? 0)),
    n(near.get(id)?.packets ?? 0),
    n(percent(near.get(id)?.share ?? 0)),
  ]);
  return table('Thresholds', ['threshold', 'crossed', 'share', 'near (within 10 % below)', 'share'], rows);
}

export function calibrationTable(samples: readonly ReportSample[]): string {
  const first = firstCalibrated(samples);
  const note =
    first === null
      ? 'No packet is calibrated: a symbol needs 180 packets with a fresh book (30 minutes) first.'
      : `First calibrated packet: ${utc(first.windowEndMs)} UTC, ${duration(first.afterMs)} after the start.`;
  return table(
    'Calibration',
    ['thresholds from', 'packets', 'share'],
    countRows(counts(samples, ({ thresholdSource }) => [thresholdSource])),
    note,
  );
}

export function countTable(
  title: string,
  column: string,
  samples: readonly ReportSample[],
  of: (sample: ReportSample) => readonly string[],
): string {
  return table(title, [column, 'packets', 'share'], countRows(counts(samples, of)));
}

function countRows(rows: readonly Count[]): readonly (readonly Cell[])[] {
  return rows.map(({ value, packets, share }) => [words(value), n(packets), n(percent(share))]);
}

export function holeTable(holes: readonly MissingSpan[]): string {
  return table(
    'Holes',
    ['from (UTC)', 'to (UTC)', 'length', 'what the packets say'],
    holes.map(({ startMs, endMs, kind }) => [utc(startMs), utc(endMs), n(duration(endMs - startMs)), GAP_LABELS[kind]]),
  );
}

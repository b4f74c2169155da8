import { WINDOW_MS } from '@market-state/market-data';
import {
  confidenceFigure,
  contestFigure,
  counts,
  createFrame,
  drawFigure,
  duration,
  escape,
  eventClassFigure,
  firstCalibrated,
  flipsOf,
  HOLE_WORDS,
  holesOf,
  percent,
  priceFigure,
  RETAINED_STATES,
  scoreFigure,
  severityFigure,
  sourceSentence,
  spellsOf,
  stateShares,
  stateWord,
  utc,
  volumeFigure,
  type Hole,
  type ReportSample,
  type Spell,
} from '@market-state/packet-figures';
import { readoutLine, readoutScript, sentenceList } from './page/readout';
import { STYLE } from './page/style';
import { calibrationTable, changeTable, contestTable, countTable, holeTable, stateLabels, stateTable, thresholdTable } from './page/tables';

/** What stands above the figures. */
interface ReportOptions {
  /** Heading of the page. */
  readonly title: string;
  /** What the packets were made from, one plain sentence. */
  readonly source: string;
}

/** Packets that can't stand in one report. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
}

const KINDS: Readonly<Record<string, string>> = {
  live: 'Live venue data',
  recorded: 'Recorded market data',
  simulated: 'Synthetic data: made by a generator, not a market',
};

/**
 * One HTML page, complete in itself, on the packets of one symbol, oldest first: price with state spans, volume, event classes, winners
 * and runners-up, severity, confidence with gap flags, scores against thresholds; the sentences of packets; and tables of shares, runs,
 * changes, thresholds, calibration.
 * @throws ReportError when there is no packet, when they are not in order, or when symbols or kinds of source are mixed.
 */
export function renderReport(samples: readonly ReportSample[], options: ReportOptions): string {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) throw new ReportError('There is no packet to report on.');
  checkOneSeries(samples);
  const spells = spellsOf(samples);
  const holes = holesOf(samples, spells);
  const frame = createFrame(first.windowEndMs - WINDOW_MS, last.windowEndMs);
  const classes = counts(samples, ({ eventClass }) => [eventClass]).map(({ value }) => value);
  const flags = counts(samples, ({ gapFlags }) => gapFlags).map(({ value }) => value);
  const labelOf = stateLabels(samples);
  const draw = (figure: Parameters<typeof drawFigure>[1]) => drawFigure(frame, figure, holes);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(options.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escape(options.title)}</h1>
<p>${escape(options.source)}</p>
<span class="kind ${escape(first.sourceKind)}">${escape(KINDS[first.sourceKind] ?? first.sourceKind)}</span>
${facts(samples, first, last)}
${tiles(samples, spells)}
${sources(samples)}
</header>
<main>
<section>
<div id="readout" role="status">${escape(readoutLine(last, labelOf))}</div>
<p class="hint">The line above is the newest packet, or the one that you point at or tap in a figure.</p>
${legend(samples, holes, labelOf)}
${draw(priceFigure(frame, samples, spells))}
${draw(volumeFigure(frame, samples))}
${draw(eventClassFigure(frame, samples, classes))}
${draw(contestFigure(frame, samples))}
${draw(severityFigure(frame, samples))}
${draw(confidenceFigure(frame, samples, flags))}
${draw(scoreFigure(frame, samples))}
</section>
${sentenceList(samples)}
<div class="tables">
<div class="wide">${stateTable(samples, spells)}</div>
${changeTable(samples)}
${contestTable(samples)}
${countTable('Event classes', 'event class', samples, ({ eventClass }) => [eventClass])}
${countTable('Read directions', 'direction', samples, ({ direction }) => [direction])}
${thresholdTable(samples)}
${calibrationTable(samples)}
${countTable('Transitions', 'transition type', samples, ({ transitionType }) => [transitionType])}
${countTable('Diagnoses', 'diagnosis', samples, ({ diagnosisClass }) => [diagnosisClass])}
${countTable('Severity', 'class', samples, ({ severityClass }) => [severityClass])}
${countTable('Confidence', 'label', samples, ({ confidenceLabel }) => [confidenceLabel])}
${countTable('Gap flags', 'flag', samples, ({ gapFlags }) => gapFlags)}
${holeTable(holes)}
</div>
</main>
<footer>Derived market context for monitoring, replay, routing and review: not a signal, not advice, not an order, and no claim about performance.</footer>
${readoutScript(frame, samples, labelOf)}
</body>
</html>
`;
}

function checkOneSeries(samples: readonly ReportSample[]): void {
  const symbols = [...new Set(samples.map(({ symbol }) => symbol))];
  if (symbols.length > 1) throw new ReportError(`A report is on one symbol; these packets are of ${symbols.join(', ')}.`);
  const kinds = [...new Set(samples.map(({ sourceKind }) => sourceKind))];
  if (kinds.length > 1) throw new ReportError(`Real and synthetic packets do not stand in one report; these are ${kinds.join(' and ')}.`);
  const wrong = samples.find((sample, index) => index > 0 && sample.windowEndMs <= (samples[index - 1]?.windowEndMs ?? 0));
  if (wrong !== undefined)
    throw new ReportError(`Packets are reported oldest first, each window once; ${utc(wrong.windowEndMs)} UTC stands out of place.`);
}

function facts(samples: readonly ReportSample[], first: ReportSample, last: ReportSample): string {
  const policies = [...new Set(samples.map(({ policyDigest }) => policyDigest))];
  const rows: readonly (readonly [string, string])[] = [
    ['Symbol', `${escape(first.symbol)} on ${escape(first.venue)}`],
    [
      'Span',
      `${utc(first.windowEndMs - WINDOW_MS)} to ${utc(last.windowEndMs)} UTC, ${duration(last.windowEndMs - first.windowEndMs + WINDOW_MS)}`,
    ],
    [policies.length === 1 ? 'Policy' : 'Policies', policies.map((digest) => `<code>${escape(digest)}</code>`).join('<br>')],
  ];
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
}

function tiles(samples: readonly ReportSample[], spells: readonly Spell[]): string {
  const shares = stateShares(samples, spells);
  const flips = flipsOf(samples);
  const calibrated = firstCalibrated(samples);
  const readable = shares.filter(({ state }) => !RETAINED_STATES.has(state));
  const [largest] = readable;
  const tile = (figure: string, meaning: string) => `<div><b>${escape(figure)}</b><span>${escape(meaning)}</span></div>`;
  return `<div class="tiles">${[
    tile(String(samples.length), 'packets'),
    tile(String(shares.length), 'published states'),
    largest === undefined
      ? tile('none', 'packets outside holes: nothing current could be read')
      : tile(percent(largest.shareOutsideHoles ?? 0), `outside holes in ${largest.label}, the most frequent`),
    tile(flips.perHour.toFixed(1), `changes of state an hour (${flips.total} in all)`),
    tile(String(new Set(samples.map(({ eventClass }) => eventClass)).size), 'event classes'),
    tile(calibrated === null ? 'never' : duration(calibrated.afterMs), 'until the first calibrated packet'),
  ].join('')}</div>`;
}

/** That few composites had a source, where that is so: states and classes rest on the others alone. */
function sources(samples: readonly ReportSample[]): string {
  const sentence = sourceSentence(samples);
  return sentence === '' ? '' : `<p class="sources">${escape(sentence)}</p>`;
}

/** Colours of the states that are drawn, and marks of the holes. */
function legend(samples: readonly ReportSample[], holes: readonly Hole[], labelOf: (state: string) => string): string {
  const drawn = [...new Set(samples.flatMap(({ state, winner, runnerUp }) => [state, winner, runnerUp]))];
  const states = drawn
    .filter((state) => !RETAINED_STATES.has(state))
    .map((state) => `<span><i class="state-${stateWord(state)}"></i>${escape(labelOf(state))}</span>`);
  const kinds = [...new Set(holes.map(({ kind }) => kind))].map(
    (kind) => `<span><i class="hole ${kind}"></i>${escape(HOLE_WORDS[kind])}</span>`,
  );
  return `<div class="legend">${[...states, ...kinds].join('')}</div>`;
}

import { WINDOW_MS } from '@market-state/market-data';
import { createFrame, drawFigure } from './figures/frame';
import { stateColor } from './figures/colors';
import { eventClassFigure } from './figures/event-classes';
import { marginFigure } from './figures/margin';
import { priceFigure } from './figures/price';
import { scoreFigure } from './figures/scores';
import { severityFigure } from './figures/severity';
import { escape, words } from './page/escape';
import { duration, percent, utc } from './page/numbers';
import { readoutScript } from './page/readout';
import { STYLE } from './page/style';
import { calibrationTable, countTable, holeTable, stateTable, thresholdTable, transitionTable } from './page/tables';
import type { ReportSample } from './sample';
import { holesOf, RETAINED_STATES, spellsOf, type Spell } from './spells';
import { counts, firstCalibrated, flipsOf, stateShares } from './statistics';

/** What stands above the figures. */
export interface ReportOptions {
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
 * One HTML page, complete in itself, on the packets of one symbol, oldest first: price with state spans, event classes, scores against
 * thresholds, margins, severity; and tables of shares, runs, changes, thresholds, calibration.
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
${PATTERNS}
<header>
<h1>${escape(options.title)}</h1>
<p>${escape(options.source)}</p>
<span class="kind ${escape(first.sourceKind)}">${escape(KINDS[first.sourceKind] ?? first.sourceKind)}</span>
${facts(samples, first, last)}
${tiles(samples, spells)}
</header>
<main>
<div id="readout" role="status">Point at a figure to read a packet.</div>
${legend(samples)}
${draw(priceFigure(frame, samples, spells))}
${draw(eventClassFigure(frame, samples, classes))}
${draw(scoreFigure(frame, samples))}
${draw(marginFigure(frame, samples))}
${draw(severityFigure(frame, samples))}
<div class="tables">
<div class="wide">${stateTable(samples, spells)}</div>
<div class="wide">${transitionTable(samples)}</div>
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
${readoutScript(frame, samples)}
</body>
</html>
`;
}

/** Fills of the states in which nothing current can be read. */
const PATTERNS = `<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" fill="var(--routine)"/><line x1="0" y1="0" x2="0" y2="7" stroke="var(--hole)" stroke-width="2"/></pattern>
<pattern id="cross" width="7" height="7" patternUnits="userSpaceOnUse"><rect width="7" height="7" fill="var(--routine)"/><path d="M0 0L7 7M7 0L0 7" stroke="var(--hole)" stroke-width="1.2"/></pattern>
</defs></svg>`;

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

function legend(samples: readonly ReportSample[]): string {
  const states = stateShares(samples).map(({ state, label }) =>
    RETAINED_STATES.has(state)
      ? `<span><svg width="14" height="14"><rect width="14" height="14" fill="${stateColor(state)}"/></svg>${escape(words(label))}</span>`
      : `<span><i style="background:${stateColor(state)}"></i>${escape(label)}</span>`,
  );
  return `<div class="legend">${states.join('')}</div>`;
}

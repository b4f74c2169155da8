import { WINDOW_MS } from '@market-state/market-data';
import {
  confidenceChart,
  contestChart,
  counts,
  createFrame,
  drawChart,
  duration,
  escape,
  eventClassChart,
  firstCalibrated,
  flipsOf,
  GAP_LABELS,
  missingSpansOf,
  percent,
  priceChart,
  RETAINED_STATES,
  scoreChart,
  severityChart,
  sourceSentence,
  stateRunsOf,
  stateShares,
  stateWord,
  utc,
  volumeChart,
  type MissingSpan,
  type ReportSample,
  type StateRun,
  paletteDeclarations,
  stateRules,
  currentMid,
  price,
  quantity,
  WIDTH,
  words,
  type Frame,
  counted,
  stateColor,
} from '@market-state/packet-figures';
import {
  calibrationTable,
  changeTable,
  contestTable,
  countTable,
  holeTable,
  stateLabels,
  stateTable,
  thresholdTable,
} from './report-tables';

/**
 * One column of charts on a shared time axis, in light or dark mode. Below 700 px, rows of wide tables become blocks,
 * so that nothing scrolls sideways.
 */
const STYLE = `
:root{--paper:#fff;--ink:#1b2430;--ink-soft:#5c6b7d;--line:#dfe5ec;--hole:#8a97a6;--gutter:62px;
--accent:#1d5fb4;--warn:#8a4b00;--warn-paper:#fff2dc;${paletteDeclarations('light')}}
@media (prefers-color-scheme:dark){:root{--paper:#12171e;--ink:#e4eaf1;--ink-soft:#9aa8b8;--line:#2b343f;--hole:#77869a;
--accent:#7db4f5;--warn:#ffcf8a;--warn-paper:#3a2a10;${paletteDeclarations('dark')}}}
${stateRules()}
*{box-sizing:border-box}
body{margin:0 auto;padding:28px 24px 60px;max-width:1208px;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:26px;line-height:1.25;margin:0 0 6px}
h2{font-size:16px;margin:0}h3{font-size:15px;margin:0 0 6px}
p{margin:0;color:var(--ink-soft);overflow-wrap:anywhere}
.kind{display:inline-block;margin:8px 0 0;padding:3px 10px;border-radius:4px;font-weight:600;color:var(--accent);border:1px solid var(--accent)}
.kind.simulated{color:var(--warn);background:var(--warn-paper);border-color:var(--warn)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:14px 0 20px}
dt{color:var(--ink-soft)}dd{margin:0;overflow-wrap:anywhere}
code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:12px;margin:0 0 18px}
.tiles div{border:1px solid var(--line);border-radius:6px;padding:10px 14px}
.tiles b{display:block;font-size:21px;font-weight:600}.tiles span{color:var(--ink-soft);font-size:13px}
.sources{margin:0 0 18px;padding:8px 12px;border-left:3px solid var(--warn);color:var(--ink)}
figure{margin:0 0 30px}figcaption{margin:0 0 8px}figcaption p{font-size:13px;max-width:100ch}
.plot{position:relative;margin-left:var(--gutter)}
.plot svg{position:relative;display:block;width:100%}
.plot svg *{vector-effect:non-scaling-stroke}
.scale{position:absolute;right:100%;padding-right:8px;font-size:11px;line-height:14px;margin-top:-7px;color:var(--ink-soft);white-space:nowrap}
.rows{position:absolute;left:0;right:0}
.row{position:absolute;left:4px;font-size:12px;line-height:15px;white-space:nowrap;pointer-events:none}
.times{position:relative;height:18px;margin-left:var(--gutter);font-size:11px;color:var(--ink-soft)}
.times span{position:absolute;transform:translateX(-50%);white-space:nowrap}.times .last{transform:translateX(-100%)}
.grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--ink-soft)}
.hole{background:repeating-linear-gradient(45deg,var(--hole) 0 1.5px,transparent 1.5px 7px);opacity:.6}
.hole.no_packet{background:repeating-linear-gradient(135deg,var(--hole) 0 1.5px,transparent 1.5px 5px),repeating-linear-gradient(45deg,var(--hole) 0 1.5px,transparent 1.5px 5px)}
.plot .span{position:absolute;top:0;opacity:.38}
.plot .hole{position:absolute;top:0;bottom:0}
path{fill:none}.mid,.severity{stroke:var(--ink);stroke-width:1.4}
.score{stroke:var(--accent);stroke-width:1.4}.watch,.bound{stroke:var(--ink-soft);stroke-dasharray:6 4}.elevated{stroke:var(--ink-soft);stroke-dasharray:1.5 3.5;stroke-width:1.5}
.bound.elevated{stroke-dasharray:6 4;stroke-width:1}
.buys{fill:var(--bid)}.sells{fill:var(--ask)}.trades{fill:var(--ink-soft)}.waiting{fill:var(--accent)}
.cursor{stroke:var(--ink);stroke-width:1;opacity:.6;pointer-events:none}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 12px;font-size:13px}.legend span{white-space:nowrap}
.legend i{display:inline-block;width:14px;height:14px;border-radius:3px;margin-right:6px;vertical-align:-2px;border:1px solid var(--line)}
#readout{position:sticky;top:0;z-index:2;margin:0 0 4px;padding:8px 12px;background:var(--paper);border:1px solid var(--line);border-radius:6px;font-size:13px;font-variant-numeric:tabular-nums;color:var(--ink)}
.hint{font-size:13px;margin:0 0 12px}
.sentences{margin:0 0 30px}.sentences>p{font-size:13px;margin:0 0 8px}
.sentences ol{list-style:none;margin:0;padding:0;display:grid;gap:10px}
.sentences li{border-left:6px solid;padding:0 0 0 12px;font-size:14px}
.sentences .when{font-size:12px;font-variant-numeric:tabular-nums}.sentences .says{color:var(--ink)}.sentences p{max-width:110ch}
.tables{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:26px 32px;align-items:start}
.table p{font-size:13px;margin:0 0 6px}.wide{grid-column:1/-1}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--ink-soft);font-weight:500}.n{text-align:right;font-variant-numeric:tabular-nums}
footer{margin:32px 0 0;padding:14px 0 0;border-top:1px solid var(--line);font-size:13px;color:var(--ink-soft)}
@media (max-width:700px){body{padding:18px 14px 40px}h1{font-size:21px}.times .odd{display:none}:root{--gutter:54px}.scale{padding-right:4px}
.many thead{display:none}.many tr{display:block;padding:5px 0;border-bottom:1px solid var(--line)}
.many td{display:flex;justify-content:space-between;gap:12px;padding:1px 0;border:0}.many td[data-column]::before{content:attr(data-column);color:var(--ink-soft)}}
@media print{#readout,.hint{display:none}}
`;

interface ReportOptions {
  readonly title: string;
  /** One plain sentence. */
  readonly source: string;
}

/** Thrown if packets cannot be combined in one report. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
}

const KINDS: Readonly<Record<string, string>> = {
  live: 'Live venue data',
  recorded: 'Recorded market data',
  simulated: 'Synthetic data: generated, not from a market',
};

/** Packet sentences, one entry per run of unchanged published state, event class and gap flags. */
function sentenceList(samples: readonly ReportSample[]): string {
  const runs = runsOf(samples);
  return `<section class="sentences"><h2>What the packets say</h2>
<p>${escape(counted(runs.length, 'run'))} of one published state, event class and set of gap flags; the sentences are those of its first packet.</p>
<ol>
${runs.map(item).join('\n')}
</ol></section>`;
}

interface Run {
  readonly first: ReportSample;
  readonly packets: number;
}

function runsOf(samples: readonly ReportSample[]): readonly Run[] {
  const runs: Run[] = [];
  let before: ReportSample | undefined;
  for (const sample of samples) {
    const last = runs.at(-1);
    if (last !== undefined && before !== undefined && goesOn(before, sample))
      runs[runs.length - 1] = { ...last, packets: last.packets + 1 };
    else runs.push({ first: sample, packets: 1 });
    before = sample;
  }
  return runs;
}

function goesOn(before: ReportSample, sample: ReportSample): boolean {
  return (
    before.windowEndMs === sample.windowEndMs - WINDOW_MS &&
    before.state === sample.state &&
    before.eventClass === sample.eventClass &&
    before.gapFlags.join() === sample.gapFlags.join()
  );
}

function item({ first, packets }: Run): string {
  const time = utc(first.windowEndMs);
  const flags = first.gapFlags.length === 0 ? '' : ` · ${words(first.gapFlags.join(', '))}`;
  const against = first.against === null ? '' : `<p class="against">Against: ${escape(first.against)}</p>`;
  return `<li style="border-color:${stateColor(first.state)}"><p class="when"><time>${time}</time> · ${duration(packets * WINDOW_MS)}${escape(flags)}</p>
<p class="says">${escape(first.headline)}</p><p>${escape(first.read)}</p>${against}</li>`;
}

/**
 * Script and data for the line that follows the pointer, placed at the end of the page. Without scripts, the line shows
 * the newest packet.
 */
function readoutScript({ startMs, endMs }: Frame, samples: readonly ReportSample[], labelOf: (state: string) => string): string {
  const dictionary = new Map<string, number>();
  const word = (text: string): number => {
    const known = dictionary.get(text);
    if (known !== undefined) return known;
    dictionary.set(text, dictionary.size);
    return dictionary.size - 1;
  };
  const packets = samples.map((sample) => [sample.windowEndMs / WINDOW_MS, ...readoutParts(sample, labelOf).map(word)]);
  return `<script>
const words=${json([...dictionary.keys()])};
const packets=${json(packets)};
const readout=document.getElementById('readout');
const cursors=[...document.querySelectorAll('.cursor')];
function show(event){
  const svg=event.target.closest('.plot')?.querySelector('svg');
  if(!svg)return;
  const box=svg.getBoundingClientRect();
  const share=(event.clientX-box.left)/box.width;
  if(share<0||share>1)return;
  const window=(${startMs}+share*${endMs - startMs})/${WINDOW_MS};
  let low=0,high=packets.length-1;
  while(low<high){const middle=(low+high)>>1;if(packets[middle][0]<window)low=middle+1;else high=middle}
  const [end,...parts]=packets[low];
  const time=new Date(end*${WINDOW_MS}).toISOString().slice(0,19).replace('T',' ')+' UTC';
  readout.textContent=[time,...parts.map((part)=>words[part])].join(' · ');
  const x=share*${WIDTH};
  for(const cursor of cursors){cursor.setAttribute('x1',x);cursor.setAttribute('x2',x)}
}
document.addEventListener('mousemove',show);
document.addEventListener('click',show);
</script>`;
}

function readoutLine(sample: ReportSample, labelOf: (state: string) => string): string {
  return [`${utc(sample.windowEndMs)} UTC`, ...readoutParts(sample, labelOf)].join(' · ');
}

function readoutParts(sample: ReportSample, labelOf: (state: string) => string): readonly string[] {
  const { winner, winnerScore, runnerUp, runnerUpScore, volume } = sample;
  const mid = currentMid(sample);
  return [
    sample.stateLabel,
    `raw winner ${labelOf(winner)} ${winnerScore.toFixed(3)}`,
    `runner-up ${labelOf(runnerUp)} ${runnerUpScore.toFixed(3)}`,
    words(sample.eventClass),
    `severity ${sample.severity.toFixed(3)}`,
    `confidence ${sample.confidenceLabel} ${sample.confidence.toFixed(3)}`,
    mid === null ? 'no current mid' : `mid ${price(mid)}`,
    ...(volume === null ? [] : [`bought ${quantity(volume.buys)}`, `sold ${quantity(volume.sells)}`]),
    ...(sample.tradeTotal === null ? [] : [`${sample.tradeTotal} trades`]),
    ...sample.gapFlags.map(words),
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/**
 * Renders a self-contained HTML page on one symbol's packets, oldest first.
 * @throws ReportError if there are no packets, if they are out of order, or if symbols or kinds of source are mixed
 */
export function renderReport(samples: readonly ReportSample[], options: ReportOptions): string {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) throw new ReportError('There are no packets to report on.');
  checkOneSeries(samples);
  const stateRuns = stateRunsOf(samples);
  const holes = missingSpansOf(samples, stateRuns);
  const frame = createFrame(first.windowEndMs - WINDOW_MS, last.windowEndMs);
  const classes = counts(samples, ({ eventClass }) => [eventClass]).map(({ value }) => value);
  const flags = counts(samples, ({ gapFlags }) => gapFlags).map(({ value }) => value);
  const labelOf = stateLabels(samples);
  const draw = (figure: Parameters<typeof drawChart>[1]) => drawChart(frame, figure, holes);
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
${tiles(samples, stateRuns)}
${sources(samples)}
</header>
<main>
<section>
<div id="readout" role="status">${escape(readoutLine(last, labelOf))}</div>
<p class="hint">The line above describes the newest packet, or the one you point at or tap in a chart.</p>
${legend(samples, holes, labelOf)}
${draw(priceChart(frame, samples, stateRuns))}
${draw(volumeChart(frame, samples))}
${draw(eventClassChart(frame, samples, classes))}
${draw(contestChart(frame, samples))}
${draw(severityChart(frame, samples))}
${draw(confidenceChart(frame, samples, flags))}
${draw(scoreChart(frame, samples))}
</section>
${sentenceList(samples)}
<div class="tables">
<div class="wide">${stateTable(samples, stateRuns)}</div>
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
  if (symbols.length > 1) throw new ReportError(`A report covers one symbol; these packets are for ${symbols.join(', ')}.`);
  const kinds = [...new Set(samples.map(({ sourceKind }) => sourceKind))];
  if (kinds.length > 1) throw new ReportError(`A report cannot mix real and synthetic packets; these are ${kinds.join(' and ')}.`);
  const wrong = samples.find((sample, index) => index > 0 && sample.windowEndMs <= (samples[index - 1]?.windowEndMs ?? 0));
  if (wrong !== undefined)
    throw new ReportError(`Packets must be oldest first, one per window; ${utc(wrong.windowEndMs)} UTC is out of order.`);
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

function tiles(samples: readonly ReportSample[], stateRuns: readonly StateRun[]): string {
  const shares = stateShares(samples, stateRuns);
  const flips = flipsOf(samples);
  const calibrated = firstCalibrated(samples);
  const readable = shares.filter(({ state }) => !RETAINED_STATES.has(state));
  const [largest] = readable;
  const tile = (figure: string, meaning: string) => `<div><b>${escape(figure)}</b><span>${escape(meaning)}</span></div>`;
  return `<div class="tiles">${[
    tile(String(samples.length), 'packets'),
    tile(String(shares.length), 'published states'),
    largest === undefined
      ? tile('none', 'packets outside gaps: no current reading')
      : tile(percent(largest.shareOutsideGaps ?? 0), `outside gaps in ${largest.label}, the most frequent`),
    tile(flips.perHour.toFixed(1), `state changes per hour (${flips.total} in total)`),
    tile(String(new Set(samples.map(({ eventClass }) => eventClass)).size), 'event classes'),
    tile(calibrated === null ? 'never' : duration(calibrated.afterMs), 'until the first calibrated packet'),
  ].join('')}</div>`;
}

/** Note that few composites had a source: states and classes rest only on those. */
function sources(samples: readonly ReportSample[]): string {
  const sentence = sourceSentence(samples);
  return sentence === '' ? '' : `<p class="sources">${escape(sentence)}</p>`;
}

function legend(samples: readonly ReportSample[], holes: readonly MissingSpan[], labelOf: (state: string) => string): string {
  const drawn = [...new Set(samples.flatMap(({ state, winner, runnerUp }) => [state, winner, runnerUp]))];
  const states = drawn
    .filter((state) => !RETAINED_STATES.has(state))
    .map((state) => `<span><i class="state-${stateWord(state)}"></i>${escape(labelOf(state))}</span>`);
  const kinds = [...new Set(holes.map(({ kind }) => kind))].map(
    (kind) => `<span><i class="hole ${kind}"></i>${escape(GAP_LABELS[kind])}</span>`,
  );
  return `<div class="legend">${[...states, ...kinds].join('')}</div>`;
}

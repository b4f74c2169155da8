import { WINDOW_MS } from '@market-state/market-data';
import {
  currentMid,
  price,
  quantity,
  utc,
  WIDTH,
  words,
  type Frame,
  type ReportSample,
  counted,
  duration,
  escape,
  stateColor,
} from '@market-state/packet-figures';

/** Packet sentences, one entry per run of unchanged published state, event class and gap flags. */
export function sentenceList(samples: readonly ReportSample[]): string {
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
export function readoutScript({ startMs, endMs }: Frame, samples: readonly ReportSample[], labelOf: (state: string) => string): string {
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

export function readoutLine(sample: ReportSample, labelOf: (state: string) => string): string {
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

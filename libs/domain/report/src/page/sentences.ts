import { WINDOW_MS } from '@market-state/market-data';
import { counted, duration, escape, stateColor, utc, words, type ReportSample } from '@market-state/packet-figures';

/**
 * What the packets say, in their own sentences: those of the first packet of each run in which published state, event class and gap flags
 * stay as they are.
 */
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

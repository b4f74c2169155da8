import type { Frame } from '../figures/frame';
import type { ReportSample } from '../sample';
import { words } from './escape';
import { price, utc } from './numbers';

/**
 * The line that follows the pointer: for each packet its end in pixels and what was read there. Script and data, to stand at the end of the
 * page; without scripts the page is whole but for this line.
 */
export function readoutScript({ x, left, right }: Frame, samples: readonly ReportSample[]): string {
  const data = samples.map((sample) => [x(sample.windowEndMs), sentence(sample)]);
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return `<script>
const packets=${json};
const readout=document.getElementById('readout');
const cursors=[...document.querySelectorAll('.cursor')];
function show(event){
  const svg=event.target.closest('figure svg');
  if(!svg)return;
  const box=svg.getBoundingClientRect();
  const x=(event.clientX-box.left)*svg.viewBox.baseVal.width/box.width;
  if(x<${left}||x>${right})return;
  let low=0,high=packets.length-1;
  while(low<high){const middle=(low+high)>>1;if(packets[middle][0]<x)low=middle+1;else high=middle}
  readout.textContent=packets[low][1];
  for(const cursor of cursors){cursor.setAttribute('x1',x);cursor.setAttribute('x2',x)}
}
document.addEventListener('mousemove',show);
document.addEventListener('click',show);
</script>`;
}

function sentence(sample: ReportSample): string {
  const winner = sample.winner === sample.state ? '' : ` (raw winner: ${words(sample.winner)})`;
  const mid = sample.mid === null ? 'no mid' : `mid ${price(sample.mid)}`;
  const flags = sample.gapFlags.length === 0 ? '' : ` · ${sample.gapFlags.map(words).join(', ')}`;
  return `${utc(sample.windowEndMs)} UTC · ${sample.stateLabel}${winner} · margin ${sample.margin.toFixed(3)} · ${words(sample.eventClass)} · severity ${sample.severity.toFixed(3)} · confidence ${sample.confidenceLabel} · ${mid}${flags}`;
}

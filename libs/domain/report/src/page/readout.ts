import type { Frame } from '../figures/frame';
import type { ReportSample } from '../sample';
import { words } from './escape';
import { price } from './numbers';

/**
 * The line that follows the pointer: for each packet its end in pixels and what was read there. Script and data, to stand at the end of the
 * page; without scripts the page is whole but for this line.
 */
export function readoutScript({ x, left, right }: Frame, samples: readonly ReportSample[]): string {
  const dictionary = new Map<string, number>();
  const word = (text: string): number => {
    const known = dictionary.get(text);
    if (known !== undefined) return known;
    dictionary.set(text, dictionary.size);
    return dictionary.size - 1;
  };
  const packets = samples.map((sample) => [
    x(sample.windowEndMs),
    sample.windowEndMs / 10_000,
    word(sample.stateLabel),
    sample.winner === sample.state ? -1 : word(words(sample.winner)),
    Number(sample.margin.toFixed(3)),
    word(words(sample.eventClass)),
    Number(sample.severity.toFixed(3)),
    word(sample.confidenceLabel),
    sample.mid === null ? 'none' : price(sample.mid),
    ...sample.gapFlags.map((flag) => word(words(flag))),
  ]);
  return `<script>
const words=${json([...dictionary.keys()])};
const packets=${json(packets)};
const readout=document.getElementById('readout');
const cursors=[...document.querySelectorAll('.cursor')];
function sentence([,window,state,winner,margin,eventClass,severity,confidence,mid,...flags]){
  const time=new Date(window*1e4).toISOString().slice(0,19).replace('T',' ');
  const raw=winner<0?'':' (raw winner: '+words[winner]+')';
  return [time+' UTC',words[state]+raw,'margin '+margin.toFixed(3),words[eventClass],'severity '+severity.toFixed(3),'confidence '+words[confidence],'mid '+mid,...flags.map((flag)=>words[flag])].join(' · ');
}
function show(event){
  const svg=event.target.closest('figure svg');
  if(!svg)return;
  const box=svg.getBoundingClientRect();
  const x=(event.clientX-box.left)*svg.viewBox.baseVal.width/box.width;
  if(x<${left}||x>${right})return;
  let low=0,high=packets.length-1;
  while(low<high){const middle=(low+high)>>1;if(packets[middle][0]<x)low=middle+1;else high=middle}
  readout.textContent=sentence(packets[low]);
  for(const cursor of cursors){cursor.setAttribute('x1',x);cursor.setAttribute('x2',x)}
}
document.addEventListener('mousemove',show);
document.addEventListener('click',show);
</script>`;
}

function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

import type { TextField, TextsFile } from './content';
import type { Report } from './fault';

/** Fields of one sentence that every packet has. `buyer_use` has one for each diagnosis class instead. */
const ALWAYS_SAID: readonly TextField[] = ['headline', 'next_step', 'readout', 'support', 'next_check', 'route_reason'];

/** A sentence that every packet has must be there whatever the packet reads: its last rule always holds. */
export function checkTexts(file: TextsFile, report: Report): void {
  for (const field of ALWAYS_SAID) {
    const last = file[field].length - 1;
    if (!('always' in (file[field][last]?.when ?? {})))
      report(`/${field}/${last}/when`, 'must be {"always": true}: it is the last rule of a sentence that every packet has');
  }
}

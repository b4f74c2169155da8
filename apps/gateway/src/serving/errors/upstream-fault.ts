import type { Fault, ServiceError } from '@market-state/errors';
import type { FaultItem } from './fault-item';

/** The public query parameter behind each field of a call to a neighbour; a field not listed has its own name in public. */
const PUBLIC_NAMES: ReadonlyMap<string, string> = new Map([
  ['from_ms', 'from'],
  ['to_ms', 'to'],
  ['from_ts_ms', 'from'],
  ['to_ts_ms', 'to'],
  ['from_window_end_ms', 'from'],
  ['to_window_end_ms', 'to'],
  ['start_ms', 'start'],
  ['end_ms', 'end'],
  ['as_of_ms', 'as_of'],
  ['page_size', 'limit'],
  ['page_token', 'cursor'],
  ['interval_ms', 'tf'],
]);

/** What a caller is told of a field whose fault reads otherwise in public. */
const PUBLIC_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['page_token', 'must be the next_cursor of an earlier answer for the same symbol'],
]);

/** The 422 item of a fault that a neighbour found in a field of its call. */
export function fromUpstreamFault({ field, message, type }: Fault): FaultItem {
  return {
    loc: ['query', PUBLIC_NAMES.get(field) ?? field],
    msg: PUBLIC_MESSAGES.get(field) ?? message.replace(/\w+/g, (word) => PUBLIC_NAMES.get(word) ?? word),
    type,
  };
}

const GIB = 1_073_741_824;

/** A size in people's units and to the byte: `1.0 GiB (1,073,741,824 bytes)`. */
function sizeOf(text: string | undefined): string {
  const bytes = Number(text ?? 0);
  return `${(bytes / GIB).toFixed(1)} GiB (${bytes.toLocaleString('en-US')} bytes)`;
}

/** The 422 item of an export that the plan does not allow for its size. */
export function tooLarge({ metadata }: ServiceError, loc: FaultItem['loc']): FaultItem {
  const { bytes, bytes_max: most } = metadata;
  const msg =
    `asks for about ${sizeOf(bytes)}, and the plan allows ${sizeOf(most)} for one export: take fewer symbols, a shorter span or fewer ` +
    `columns`;
  return { loc, msg, type: 'result_too_large' };
}

import { loadPolicy } from '@market-state/labeler';
import { definitionsOf } from '@market-state/packet-views';

/** Policy's definitions of the numbers and terms in packets. */
export const definitions = definitionsOf(loadPolicy());

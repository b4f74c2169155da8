import { loadPolicy } from '@market-state/labeler';
import { definitionsOf } from '@market-state/packet-views';

/** What the policy of this version says of the numbers and words of its packets. */
export const definitions = definitionsOf(loadPolicy());

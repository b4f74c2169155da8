import { loadPolicy } from '@market-state/labeler';
import { definitionsOf } from '@market-state/packet-views';

export const definitions = definitionsOf(loadPolicy());

import { createExport } from './create-export';
import { dataQuality } from './data-quality';
import { estimateCost } from './estimate-cost';
import { explainPacket } from './explain-packet';
import { labelStability } from './label-stability';
import { overview } from './overview';
import { readRows } from './read-rows';
import { rehearseAlert } from './rehearse-alert';
import { searchEvents } from './search-events';
import { stateHistory } from './state-history';
import type { Tool } from './tool';
import { usage } from './usage';
import { verifyPacket } from './verify-packet';

/** Those that change nothing, in the order of the list; the last orders files. */
const metered = [overview, explainPacket, stateHistory, searchEvents, labelStability, readRows, verifyPacket, rehearseAlert];

/** The tools that a caller is offered. @param mayExport whether it may order exports */
export function toolsFor(mayExport: boolean): readonly Tool[] {
  const priced = mayExport ? [...metered, createExport] : metered;
  return [...metered, dataQuality, estimateCost(priced), usage, ...(mayExport ? [createExport] : [])];
}

import { createExport } from './create-export';
import { dataQuality, labelStability } from './quality';
import { estimateCost, usage } from './costs';
import { explainPacket, verifyPacket } from './packet';
import { overview } from './overview';
import { readRows } from './read-rows';
import { rehearseAlert } from './rehearse-alert';
import { searchEvents, stateHistory } from './history';
import type { Tool } from './tool';

/** In list order. */
const metered = [overview, explainPacket, stateHistory, searchEvents, labelStability, readRows, verifyPacket, rehearseAlert];

export function toolsFor(mayExport: boolean): readonly Tool[] {
  const priced = mayExport ? [...metered, createExport] : metered;
  return [...metered, dataQuality, estimateCost(priced), usage, ...(mayExport ? [createExport] : [])];
}

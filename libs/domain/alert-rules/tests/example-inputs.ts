import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packet } from '@market-state/labeler';
import { type RuleInput, toRuleInput } from '../src/rule-input';

const file = join(import.meta.dirname, '../../../../docs/examples/btcusd-perp-packets.ndjson');
const packets = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Packet);

export const exampleInputs: readonly RuleInput[] = packets.map((packet, index) => toRuleInput(packet, index + 1, packet.symbol));

/** @throws RangeError if the list is shorter */
export function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item ${index}`);
  return item;
}

export const exampleInput = (index: number): RuleInput => nth(exampleInputs, index);

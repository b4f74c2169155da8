import type { FaultItem } from '../errors/fault-item';
import type { Operation } from '../openapi/operations';

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;
const NAMES_MAX = 5;

/** What is wrong with a comma list of symbols, where the operation takes one: how many there are, or which are malformed. */
export function symbolListFaults({ parameters }: Operation, values: Readonly<Record<string, unknown>>): FaultItem[] {
  const schema = parameters.find(({ name }) => name === 'symbol')?.schema;
  const [listMax, list] = [schema?.['x-list-max'], values['symbol']];
  if (typeof listMax !== 'number' || typeof list !== 'string' || !list.includes(',')) return [];
  const names = list.split(',');
  if (names.length > listMax) return [fault(`names ${names.length} symbols, and a stream takes at most ${listMax}`, 'too_many_symbols')];
  const malformed = names.filter((name) => !SYMBOL.test(name));
  if (malformed.length === 0) return [];
  const shown = malformed.slice(0, NAMES_MAX).map((name) => JSON.stringify(name.slice(0, 40)));
  const all = malformed.includes('ALL') ? '; ALL stands alone' : '';
  return [fault(`has ${shown.join(', ')}, which is no symbol: each must look like BTCUSD-PERP${all}`, 'pattern')];
}

function fault(msg: string, type: string): FaultItem {
  return { loc: ['query', 'symbol'], msg, type };
}

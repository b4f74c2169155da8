export type CsvKind = 'book' | 'trade' | 'context' | 'liquidation';

const TIME_UNITS = ['s', 'ms', 'us', 'ns', 'utc'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

export interface TimeColumn {
  readonly name: string;
  readonly index: number;
  readonly unit: TimeUnit;
}

export interface CsvHeader {
  readonly kind: CsvKind;
  readonly columns: ReadonlyMap<string, number>;
  readonly exchangeTime: TimeColumn;
  /** Serves as exchange time in files without one. */
  readonly receivedTime: TimeColumn;
  readonly levels: number;
}

const TIME = /^(exchange|received)_time_(s|ms|us|ns|utc)$/;
const LEVEL = /^(bid|ask)_(price|size)_([1-9][0-9]?)$/;
const LEVELS_MAX = 50;

const OWN_COLUMNS: Readonly<Record<CsvKind, { readonly needed: readonly string[]; readonly other: readonly string[] }>> = {
  book: { needed: ['bid_price_1', 'bid_size_1', 'ask_price_1', 'ask_size_1'], other: [] },
  trade: { needed: ['price', 'size', 'aggressor_side'], other: ['trade_id'] },
  liquidation: { needed: ['price', 'size', 'position_side'], other: [] },
  context: {
    needed: [],
    other: ['funding_rate', 'funding_interval_hours', 'open_interest_base', 'mark_price', 'index_price', 'mid_price', 'volume_24h_quote'],
  },
};

export const CSV_HEADERS: readonly string[] = [
  'book: exchange_time_ms,bid_price_1,bid_size_1,ask_price_1,ask_size_1,bid_price_2,…',
  'trades: exchange_time_ms,price,size,aggressor_side[,trade_id]',
  `context: exchange_time_ms,${OWN_COLUMNS.context.other.join(',')} (any of them)`,
  'liquidations: exchange_time_ms,price,size,position_side',
];

export function isCsvHeader(line: string): boolean {
  return cellsOf(line).some((name) => TIME.test(name));
}

export function cellsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  return [...line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))/g)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'),
  );
}

export function columnsOf(header: string): ReadonlyMap<string, number> {
  return new Map(cellsOf(header).map((name, index) => [name, index]));
}

/** @param fault receives each problem as a sentence; then the result is undefined */
export function readCsvHeader(line: string, fault: (sentence: string) => void): CsvHeader | undefined {
  let isFaulty = false;
  const wrong = (sentence: string): void => {
    isFaulty = true;
    fault(sentence);
  };
  const names = cellsOf(line);
  const columns = columnsOf(line);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) < index))) wrong(`column ${name} appears twice`);
  const kind = kindOf(columns);
  if (kind === undefined) {
    wrong(`columns match no supported kind of file:\n${CSV_HEADERS.map((header) => `  ${header}`).join('\n')}`);
    return undefined;
  }
  const times = names.flatMap((name, index) => timeColumn(name, index));
  for (const which of ['exchange', 'received']) {
    const named = times.filter(({ name }) => name.startsWith(which)).map(({ name }) => name);
    if (named.length > 1) wrong(`${named.join(' and ')} state the same value in two units: keep only one`);
  }
  const exchangeTime = times.find(({ name }) => name.startsWith('exchange'));
  if (exchangeTime === undefined) wrong('column exchange_time_ms is missing (or _s, _us, _ns, _utc)');
  const { needed, other } = OWN_COLUMNS[kind];
  for (const name of needed.filter((each) => !columns.has(each))) wrong(`column ${name} is missing`);
  const isLevel = (name: string): boolean => kind === 'book' && LEVEL.test(name);
  const known = (name: string): boolean => TIME.test(name) || needed.includes(name) || other.includes(name) || isLevel(name);
  for (const name of names.filter((each) => !known(each))) wrong(`unknown column ${JSON.stringify(name)}: remove it`);
  const levels = kind === 'book' ? levelsOf(columns, wrong) : 0;
  if (isFaulty || exchangeTime === undefined) return undefined;
  const receivedTime = times.find(({ name }) => name.startsWith('received')) ?? exchangeTime;
  return { kind, columns, exchangeTime, receivedTime, levels };
}

function kindOf(columns: ReadonlyMap<string, number>): CsvKind | undefined {
  if ([...columns.keys()].some((name) => LEVEL.test(name))) return 'book';
  if (columns.has('aggressor_side')) return 'trade';
  if (columns.has('position_side')) return 'liquidation';
  if (OWN_COLUMNS.context.other.some((name) => columns.has(name))) return 'context';
  return columns.has('price') || columns.has('size') ? 'trade' : undefined;
}

function timeColumn(name: string, index: number): readonly TimeColumn[] {
  const text = TIME.exec(name)?.[2];
  const unit = TIME_UNITS.find((each) => each === text);
  return unit === undefined ? [] : [{ name, index, unit }];
}

/** Levels count up from 1 without a gap, each with both columns on both sides. */
function levelsOf(columns: ReadonlyMap<string, number>, wrong: (sentence: string) => void): number {
  const numbers = [...columns.keys()].flatMap((name) => Number(LEVEL.exec(name)?.[3] ?? []) || []);
  const levels = Math.max(1, ...numbers);
  if (levels > LEVELS_MAX) wrong(`${levels} levels per side exceed the limit of ${LEVELS_MAX}`);
  for (let level = 2; level <= Math.min(levels, LEVELS_MAX); level++) {
    for (const name of ['bid_price', 'bid_size', 'ask_price', 'ask_size'].map((each) => `${each}_${level}`)) {
      if (!columns.has(name)) wrong(`column ${name} is missing`);
    }
  }
  return levels;
}

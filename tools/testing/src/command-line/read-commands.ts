/** Formats of what the command line shows. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const RULE = '{"kind":"state_is","params":{"states":["market_state_watch"]}}';

/** Every command line that reads a service and ends by itself. @param symbol one that is served */
export function readCommands(symbol: string): readonly string[] {
  return [
    ...['latest', `packet ${symbol}`, `book ${symbol} --depth 3`, `trades ${symbol} --limit 5`, 'catalog'].map((of) => `get ${of}`),
    ...['candles', 'context', 'liquidations', 'gaps', 'freshness', 'condition', 'stability'].map((what) => `get ${what} ${symbol}`),
    'get /api/public/market-state/status/proof',
    `history ${symbol} --limit 5`,
    'search --limit 3',
    'usage',
    'usage receipts --limit 3',
    'usage balance --step hour',
    'get prices',
    'usage caps',
    'usage estimate /api/public/market-state/replay?limit=100',
    'account keys list',
    'shares list',
    'export list',
    `alerts rehearse ${symbol} --rule ${RULE}`,
    'whoami',
    `history ${symbol} --dry-run`,
  ];
}

/** What is wrong with a text that claims to be of a format; null where nothing is. */
export function formatFault(format: Format, text: string): string | null {
  try {
    if (format === 'json') JSON.parse(text);
    if (format === 'ndjson') for (const line of text.split('\n').filter(Boolean)) JSON.parse(line);
  } catch (error) {
    return `${String(error)}: ${text.slice(0, 200)}`;
  }
  const [head = ''] = text.split('\n');
  if (format === 'csv' && !/^[a-z0-9_.]+(,[a-z0-9_.]+)*$|^$/.test(head)) return `its first line is ${head}`;
  return format === 'table' && text.trim().length < 2 ? 'it is empty' : null;
}

/** Decimals stay as they were received. */
export function rowWords(row: Readonly<Record<string, unknown>>): string {
  switch (row['kind']) {
    case 'trade':
      return `${String(row['aggressor_side'])} ${String(row['size'])} at ${String(row['price'])}`;
    case 'book':
      return `${levels(row['bids'])} bids from ${best(row['bids'])}, ${levels(row['asks'])} asks from ${best(row['asks'])}`;
    case 'liquidation':
      return `${String(row['position_side'])} position liquidated: ${String(row['size'])} at ${String(row['price'])}`;
    default:
      return Object.entries(row)
        .filter(([name, value]) => !ENVELOPE.has(name) && value !== null && value !== '')
        .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
        .join(', ');
  }
}

/** Fields of every row, which the table already shows. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...[
    'schema',
    'kind',
    'venue',
    'symbol',
    'pass',
    'venue_id',
    'exchange_ts_ms',
    'exchange_ts_is_receive_time',
    'received_ts_ms',
    'ordinal',
    'epoch',
  ],
]);

function levels(side: unknown): number {
  return Array.isArray(side) ? side.length : 0;
}

function best(side: unknown): string {
  const [level] = Array.isArray(side) ? (side as readonly unknown[]) : [];
  return Array.isArray(level) ? `${String(level[0])} × ${String(level[1])}` : 'none';
}

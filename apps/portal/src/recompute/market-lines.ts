const ROW = '{"schema":"market_state_row.v1",';

/** Undefined for lines without one, such as keys. `markets` are those with packets: rows of others are at the primary venue. */
function marketOfLine(line: string, markets: readonly string[]): string | undefined {
  if (!line.startsWith(ROW)) {
    return (/"market":"([A-Z0-9]+USD-PERP@[a-z0-9-]+)"/.exec(line) ?? /"symbol":"([^"]+)"/.exec(line))?.[1];
  }
  const [, venue = '', symbol = ''] = /"venue":"([^"]*)","symbol":"([^"]*)"/.exec(line) ?? [];
  const market = `${symbol}@${venue}`;
  return markets.includes(market) ? market : symbol;
}

/** The market of a line with a packet. */
export function marketOfPacketLine(line: string): string | undefined {
  return marketOfLine(line, []);
}

/** Lines of one of a dump's markets, and those of none. */
export function isOfMarket(market: string, markets: readonly string[]): (line: string) => boolean {
  return (line) => (marketOfLine(line, markets) ?? market) === market;
}

/** The symbols of a checked comma list, each once. */
export function readSymbolList(list: string): readonly string[] {
  return [...new Set(list.split(','))];
}

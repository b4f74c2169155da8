/** Avoids LRUCache's up-front allocation: `max` takes 3 to 5 ms and 0.5 MB for 20,000 entries. */
export function atMost(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}

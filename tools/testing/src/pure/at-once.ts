export function atOnce<T>(total: number, work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: total }, (_, at) => work(at)));
}

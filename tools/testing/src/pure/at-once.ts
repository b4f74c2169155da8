/** Runs the work this many times concurrently, passing each number from 0. */
export function atOnce<T>(total: number, work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: total }, (_, at) => work(at)));
}

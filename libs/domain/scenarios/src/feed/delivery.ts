/** Entries on their way to the log, in the order of their receive times; equal ones keep the order in which they were sent. */
export class Delivery<T> {
  private waiting: { readonly receivedMs: number; readonly entry: T }[] = [];

  send(receivedMs: number, entry: T): void {
    let place = this.waiting.length;
    while (place > 0 && (this.waiting[place - 1]?.receivedMs ?? 0) > receivedMs) place--;
    this.waiting.splice(place, 0, { receivedMs, entry });
  }

  /** What has come before `clockMs`, oldest first. */
  receivedBefore(clockMs: number): readonly { readonly receivedMs: number; readonly entry: T }[] {
    let count = 0;
    while (count < this.waiting.length && (this.waiting[count]?.receivedMs ?? clockMs) < clockMs) count++;
    return this.waiting.splice(0, count);
  }

  /** Forgets what is still on its way, or those entries of it. */
  lose(chosen: (entry: T) => boolean = () => true): void {
    this.waiting = this.waiting.filter(({ entry }) => !chosen(entry));
  }
}

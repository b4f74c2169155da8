import { chooseZone } from '../src/time/zone';

/** Runs a function with times shown as in a browser in that zone with local time chosen. */
export function inZone<T>(place: string, run: () => T): T {
  const before = process.env['TZ'];
  process.env['TZ'] = place;
  chooseZone('local');
  try {
    return run();
  } finally {
    chooseZone('utc');
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

import { chooseZone } from '../src/time/zone';

/** For tests: what is run shows times as a browser in a place of that name does where its reader has chosen local time. */
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

/** The entry with its size (a decimal, as text) one unit off in the last digit. */
export function oneUnitOff(payload: Buffer, size: string): Buffer {
  const last = payload.indexOf(size, 0, 'latin1') + size.length - 1;
  expect(payload.toString('latin1')).toContain(size);
  const changed = Buffer.from(payload);
  changed.write(size.endsWith('9') ? '8' : String(Number(size.slice(-1)) + 1), last, 'latin1');
  return changed;
}

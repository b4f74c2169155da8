/** @throws RangeError when `fromByte` (inclusive) to `toByte` (exclusive) is no range of an object of that size */
export function checkRange(fromByte: number, toByte: number, sizeBytes: number): void {
  const isRange = Number.isSafeInteger(fromByte) && Number.isSafeInteger(toByte) && fromByte >= 0 && fromByte <= toByte;
  if (!isRange || toByte > sizeBytes) throw new RangeError(`no range of ${sizeBytes} bytes: from ${fromByte} to ${toByte}`);
}

const ADDRESS_DIGITS = 40;
const HASH_DIGITS = 64;

/** An account address that nobody owns, the same for the same trade and side. */
export function address(tid: number, side: 'buyer' | 'seller'): string {
  return `0x${digits(tid * 2 + (side === 'buyer' ? 0 : 1), ADDRESS_DIGITS)}`;
}

export function transactionHash(tid: number): string {
  return `0x${digits(tid * 3 + 2, HASH_DIGITS)}`;
}

/** Hexadecimal digits that a number gives again: its bits mixed, and mixed again for as many as are wanted. */
function digits(value: number, count: number): string {
  let state = Math.imul(value % 4_294_967_296, 0x9e3779b1) ^ Math.floor(value / 4_294_967_296);
  let text = '';
  while (text.length < count) {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5;
    text += ((state ^ (state >>> 13)) >>> 0).toString(16).padStart(8, '0');
  }
  return text.slice(0, count);
}

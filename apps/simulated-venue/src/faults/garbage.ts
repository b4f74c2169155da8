import { COIN } from '../protocol/coin';

const OVERSIZED_BYTES = 1_048_577;

/** Why a reader must not take each of them, in turn. */
const KINDS: readonly ((timeMs: number) => string)[] = [
  () => '{"channel":"l2Book","data":{"coin":"SIM"',
  () => 'not even JSON',
  (time) =>
    JSON.stringify({
      channel: 'l2Book',
      data: { coin: COIN, levels: [[{ n: 1, px: 'NaN', sz: '1.0' }], [{ n: 1, px: '1500.0', sz: '1.0' }]], time },
    }),
  (time) => trade(time, '-1500.0', '1.0'),
  (time) => trade(time, '1500.0', 'Infinity'),
  (time) => trade(time, '0.0', '1.0'),
  () => JSON.stringify({ channel: 'l4Book', data: { coin: COIN } }),
  () => '[]5',
  () => `"${'x'.repeat(OVERSIZED_BYTES)}"`,
  (time) => JSON.stringify({ channel: 'bbo', data: { coin: COIN, bbo: [{ px: '1500.0' }, null], time } }),
];

/** `count` frames that are none, one kind after the other. */
export function garbage(count: number, timeMs: number): string[] {
  return Array.from({ length: count }, (_, index) => KINDS[index % KINDS.length]?.(timeMs) ?? '');
}

function trade(time: number, px: string, sz: string): string {
  return JSON.stringify({ channel: 'trades', data: [{ coin: COIN, hash: '0x0', px, side: 'B', sz, tid: 1, time, users: ['0x0', '0x0'] }] });
}

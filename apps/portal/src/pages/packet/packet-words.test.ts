import { heldWords, publishedWords, signedWords, rowWords } from './packet-words';

type Packet = Parameters<typeof publishedWords>[0] & Parameters<typeof heldWords>[0];

function packet(state: string, winner: string, composites: object = {}): Packet {
  const publication = { published_state: state, rule: 'held_by_dwell', winner_streak: 2, lost_streak: 1, streak_required: 3 };
  return { state, state_decision_trace: { winner_state: winner, publication, composites } } as unknown as Packet;
}

test('a published state other than the raw winner explains how long it is held', () => {
  expect(publishedWords(packet('depth_watch', 'flow_shift_watch'))).toBe(
    'The published state is Depth watch, although Flow shift watch is the raw winner of this packet. It is held by dwell: ' +
      'Flow shift watch has won 2 packets in a row, and a winner takes over after 3.',
  );
  expect(publishedWords(packet('market_state_watch', 'depth_watch'))).toContain(
    'its conditions have failed for 1 packet in a row, and it ends after 3',
  );
  expect(publishedWords(packet('depth_watch', 'depth_watch'))).toBe('');
});

test('only composites held below watch are listed', () => {
  const held = { score: 0.1, watch: 0.16, leave_at: 0.08, held: true, held_packets: 4 };
  expect(heldWords(packet('depth_watch', 'depth_watch', { pressure: held, flow: { ...held, score: 0.2 } }))).toEqual([
    'Pressure is held at 0.1: below the 0.16 watch threshold, still above the 0.08 exit threshold. Held for 4 packets in a row.',
  ]);
  expect(heldWords(packet('depth_watch', 'depth_watch', { flow: { ...held, held: false }, regime: { ...held, score: null } }))).toEqual([]);
});

test('a signed score names its side', () => {
  expect([signedWords('pressure', -0.160001), signedWords('flow', 0.25), signedWords('flow', 0), signedWords('regime', 0.5)]).toEqual([
    '0.160001 ask',
    '0.25 buy',
    '0',
    '0.5',
  ]);
});

test('rows keep their decimals as received', () => {
  expect(rowWords({ kind: 'trade', aggressor_side: 'sell', size: '0.830', price: '1502.10' })).toBe('sell 0.830 at 1502.10');
  expect(
    rowWords({
      kind: 'book',
      bids: [
        ['1501.9', '3.08'],
        ['1501.8', '2'],
      ],
      asks: [],
    }),
  ).toBe('2 bids from 1501.9 × 3.08, 0 asks from none');
  expect(rowWords({ kind: 'liquidation', position_side: 'long', size: '0.86', price: '1501.7' })).toBe(
    'long position liquidated: 0.86 at 1501.7',
  );
  expect(rowWords({ kind: 'context', venue: 'x', funding_rate: '0.0001', oracle_price: null })).toBe('funding rate 0.0001');
});

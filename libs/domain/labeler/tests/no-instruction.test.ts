import { readFileSync } from 'node:fs';
import { type Reported, wordingFaults, wordsOf } from '@market-state/testing';
import { assemblePacket } from '../src/packet/packet';
import { POLICY_SCHEMAS, parsePolicy } from '../src/policy/parse-policy';
import { EXAMPLES_FILE } from './example-packets';
import { packetRead, policy } from './packet-read';
import { editedTexts } from './policy-texts';
import { recordingPackets, RECORDED_SYMBOLS } from './recording-packets';
import { syntheticPackets } from './synthetic-packets';

/** Published parts of the policy, in the shapes that its files allow. */
const policyWords = (): Reported[] => [...wordsOf(policy.files, 'policy'), ...wordsOf(POLICY_SCHEMAS, 'schemas')];

function packetWords(symbol: string): Reported[] {
  return recordingPackets(symbol).flatMap(({ packet, headline, customerNextStep }) => [
    ...wordsOf({ packet, headline, customerNextStep }, packet.ts),
  ]);
}

describe('no side to take, size, target or return', () => {
  test('in any key, word, tag, meaning, reason, text, template or route of the policy', () => {
    expect(policyWords().length).toBeGreaterThan(8_000);
    expect(wordingFaults(policyWords())).toEqual([]);
  });

  test.each(RECORDED_SYMBOLS)('in any key or text of a packet of the %s recording', (symbol) => {
    const words = packetWords(symbol);
    expect(words.length).toBeGreaterThan(60_000);
    expect(wordingFaults(words)).toEqual([]);
  });

  test('in any key or text of the synthetic packets and of the committed examples', () => {
    const synthetic = Object.entries(syntheticPackets()).flatMap(([name, packet]) => [...wordsOf(packet, name)]);
    const examples = readFileSync(EXAMPLES_FILE, 'utf8')
      .trim()
      .split('\n')
      .flatMap((line) => [...wordsOf(JSON.parse(line), 'example')]);
    expect(wordingFaults([...synthetic, ...examples])).toEqual([]);
  });
});

describe('the walk bites', () => {
  test.each([
    'Buy the dip.',
    'Buy flow is elevated: buy now.',
    'Aggressive buyers lead; sell into strength.',
    'Go long above {mid_price}.',
    'Stay short while the book is ask-heavy.',
    'Shorts are favoured.',
    'Longs can be opened here.',
    'Enter when book pressure reaches {pressure_watch}.',
    'Exit on the next packet.',
    'The target is {mid_price}.',
    'Place a stop under the best bid.',
    'Take part of it off.',
    'A take-profit at two spreads.',
    'Position size follows severity.',
    'Half the usual trade size.',
    'Sizing follows confidence.',
    'Expected return over six windows.',
    'A return of {price_move_bps} bps.',
    'It is profitable in quiet markets.',
    'The edge is in the flow.',
    'This is where the alpha is.',
    'An opportunity on the bid side.',
    'A bullish book.',
    'Traders should wait.',
    'Mid will rise.',
    'Price is likely to follow.',
    'We recommend a review.',
    'Consider the bid side.',
    'A signal of strength.',
    'Hold it until the flow turns.',
    'Close the trade.',
    'Add to it on weakness.',
    'Use a limit order.',
    'The risk is low.',
    'Lower your exposure.',
    'Fade the move; hold for six windows.',
    'Upside is open.',
    'buy_now',
    'target_price',
    'stopLoss',
    'entry_price',
    'position_size',
    'expected_return',
    'take_profit_bps',
    'go_long',
    'pressure:buy_signal:hot',
    'trade_instruction_buy',
    'route_recommendation_buy',
    'profitability_claims_allowed',
  ])('"%s" is found', (text) => {
    expect(wordingFaults([['planted', text]])).toHaveLength(1);
  });

  test.each([
    'aggressive buy flow',
    'Sell flow absorbed by bid liquidity.',
    'flow:buy_watch:short',
    'More longs liquidated than shorts.',
    'Open interest moved away from its recent level.',
    'short_window',
    'Too few returns for one of the two volatilities.',
    'Resting depth takes opposite trades without price giving way.',
    'not_signal_not_advice_not_execution_not_performance',
  ])('"%s" describes and is left alone', (text) => {
    expect(wordingFaults([['described', text]])).toEqual([]);
  });

  test('a template planted in a policy is found in the policy and in the packet that prints it', () => {
    const texts = editedTexts({
      file: 'texts',
      from: '"Check whether a fresh book has arrived by the next window."',
      to: '"Buy {symbol} at the next window."',
    });
    const planted = parsePolicy(texts);
    expect(wordingFaults(wordsOf(planted.files))).toEqual(['.texts.next_check[0].text: buy in "Buy {symbol} at the next window."']);
    const read = packetRead({
      decision: { ...packetRead().decision, winner: 'replay_context_ready' },
      eventClass: 'retained_context_only',
      eventProfile: 'retained_context',
      direction: 'no_current_read',
    });
    const found = wordingFaults(wordsOf(assemblePacket(read, planted), 'packet'));
    expect(found).toEqual(['packet.client_reason_summary.next_check: buy in "Buy BTCUSD-PERP at the next window."']);
  });

  test('a tag, a key and a word planted in a packet are found where they stand', () => {
    const packet = {
      ...assemblePacket(packetRead(), policy),
      target_price: 1,
      tags: ['pressure:buy_signal:hot'],
      driver: { stance: 'go long' },
    };
    expect(wordingFaults(wordsOf(packet, 'packet'))).toEqual([
      'packet.tags[0]: buy, signal in "pressure:buy_signal:hot"',
      'packet.target_price (key): target in "target_price"',
      'packet.driver.stance: long, go long in "go long"',
    ]);
  });
});

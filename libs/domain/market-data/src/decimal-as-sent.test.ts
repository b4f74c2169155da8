import { decimalAsSent, positiveAsSent, unsignedAsSent } from './decimal-as-sent';
import { fundingOf } from './funding-rate';

describe('a decimal as sent', () => {
  it.each(['0.00010000', '-0.0000125', '65118.00', '0', '0.0', '12', '1142118412.9021000'])('%s is kept to the last digit', (text) => {
    expect(decimalAsSent(text)).toBe(text);
  });

  it.each([
    ['1e-5', '0.00001'],
    ['+1.50', '1.5'],
    ['007.0', '7'],
    ['-0.00', '0'],
  ])('%s is no plain notation and becomes %s', (text, plain) => {
    expect(decimalAsSent(text)).toBe(plain);
  });

  it.each([['1.'], ['.5'], ['NaN'], [''], [' 1'], [5], [null], ['0x10'], ['1,5']])('%j is none', (text) => {
    expect(decimalAsSent(text)).toBeUndefined();
    expect(positiveAsSent(text)).toBeUndefined();
    expect(unsignedAsSent(text)).toBeUndefined();
  });

  it('may be asked to be of no sign, or above zero', () => {
    expect(unsignedAsSent('-1.0')).toBeUndefined();
    expect(unsignedAsSent('0.00')).toBe('0.00');
    expect(positiveAsSent('0.00')).toBeUndefined();
    expect(positiveAsSent('-1.0')).toBeUndefined();
    expect(positiveAsSent('1.0')).toBe('1.0');
  });
});

describe('funding', () => {
  it('by the hour is the rate as sent', () => {
    expect(fundingOf('0.00001250', 1)).toEqual({ fundingRate: '0.00001250' });
  });

  it('of longer intervals is the quotient, with the rate as sent and the interval beside it', () => {
    expect(fundingOf('-0.00010000', 8)).toEqual({ fundingRate: '-0.0000125', venueFundingRate: '-0.00010000', fundingIntervalHours: 8 });
    expect(fundingOf('0.0001', 3)).toMatchObject({ fundingRate: '0.000033333333' });
  });
});
